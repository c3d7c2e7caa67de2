/** A part of a schema that a target has no way to say. Whatever can do without the part goes on without it. */
export class Inexpressible extends Error {
  /** JSON pointer into the tool's schema. */
  readonly path: string;

  constructor(path: string, why: string) {
    super(why);
    this.path = path;
  }
}
