import { isObject } from '../../base/index.js';
import type { ManifestRule } from './rules.js';

/** One thing that is wrong with a manifest, and what to do about it. */
export interface ManifestFinding {
  /** `shape`: the Registry's JSON Schema refuses it. Any other names its row in `MANIFEST_RULES`. */
  readonly rule: ManifestRule | 'shape';
  /** A warning keeps nobody from publishing. */
  readonly severity: 'error' | 'warning';
  /** A JSON pointer (RFC 6901) into the manifest. A member that is missing is pointed at where it should be. */
  readonly pointer: string;
  readonly message: string;
  readonly hint: string;
}

export type Report = (rule: ManifestRule, fault: Omit<ManifestFinding, 'rule' | 'severity'>) => void;

/** A member that is text; what has another kind is the shape's to complain about. */
export function findText(value: unknown, name: string): string | undefined {
  const member = findMember(value, name);
  return typeof member === 'string' ? member : undefined;
}

export function findList(value: unknown, name: string): readonly unknown[] {
  const member = findMember(value, name);
  return Array.isArray(member) ? member : [];
}

export function findMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
