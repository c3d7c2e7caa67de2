/** The package has no types of its own; this is the part that is used. */
declare module 'proper-lockfile' {
  export function lock(
    file: string,
    options: {
      readonly realpath: boolean;
      readonly lockfilePath: string;
      readonly stale: number;
      readonly update: number;
      readonly onCompromised: (error: Error) => void;
    },
  ): Promise<() => Promise<void>>;
}
