import type { Contract, Implementation } from '../../contract/index.js';
import type { ProjectSettings } from './project-fields.js';

/** What of a package.json is of use here. */
export interface PackageFacts {
  readonly name?: string;
  readonly version?: string;
  readonly mcpName?: string;
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** An author's project: a package whose package.json has a field `doorward`. */
export interface Project {
  /** Absolute; where package.json is. */
  readonly folder: string;
  readonly packageJson: PackageFacts;
  /**
   * What the author's module exports. It may have been made by another copy of this package than the one that looks at it:
   * nothing of it is an `instanceof` or the same symbol as here.
   */
  readonly contract: Contract;
  /** Absent where the settings name none. */
  readonly implementation?: Implementation;
  readonly settings: ProjectSettings;
}
