import type { Path } from '../../place.js';
import type { Json } from '../spec.js';

/** The text of a file that can be changed member by member. What is not touched stays as it is, byte for byte. */
export interface EditableText {
  /** The file as it is now, changes included. */
  readonly text: string;
  /** What the text says. */
  readonly value: Json;
  /** Makes the member at `path` equal to `value`: adds it, with what leads to it, or changes it as little as can be. */
  set(path: Path, value: Json): void;
  /** Takes the member at `path` out; nothing happens where there is none. */
  remove(path: Path): void;
}
