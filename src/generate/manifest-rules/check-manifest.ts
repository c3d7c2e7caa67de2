import { DoorError, encodeText, findDuplicateName, isObject } from '../../base/index.js';
import { parseJsonc, quoted } from '../../config/index.js';
import { joinPointer } from '../../schema/index.js';
import { findList, findMember, type ManifestFinding, type Report } from './finding.js';
import { checkIdentity } from './identity-rules.js';
import { MANIFEST_SHAPE, PUBLISHER_META } from './manifest-shape.js';
import { checkPackages } from './package-rules.js';
import { checkSchemaDate } from './schema-date.js';
import { checkShape } from './shape.js';
import { checkRemotes } from './transport-rules.js';

/**
 * Checks a manifest as the Registry would, without asking it: by its schema, and by the rules of `MANIFEST_RULES`.
 *
 * @returns all that is wrong, errors first; nothing where the Registry would take it, as far as can be told offline
 */
export function checkManifest(manifest: unknown): readonly ManifestFinding[] {
  const findings: ManifestFinding[] = [...checkShape(MANIFEST_SHAPE, manifest), ...checkSchemaDate(manifest)];
  const report: Report = (rule, fault) => findings.push({ rule, severity: 'error', ...fault });
  const warn: Report = (rule, fault) => findings.push({ rule, severity: 'warning', ...fault });
  checkIdentity(manifest, report);
  checkPackages(manifest, report);
  checkRemotes(manifest, report);
  checkMeta(manifest, report, warn);
  checkOffer(manifest, warn);
  return [...findings.filter(isError), ...findings.filter((one) => !isError(one))];
}

/** Whether it keeps the Registry from taking the manifest. */
export function isError({ severity }: ManifestFinding): boolean {
  return severity === 'error';
}

const MAX_META_BYTES = 4096;

function checkMeta(manifest: unknown, report: Report, warn: Report): void {
  const meta = findMember(manifest, '_meta');
  if (!isObject(meta)) return;
  for (const name of Object.keys(meta)) {
    if (name === PUBLISHER_META) continue;
    const hint = `Put it into ${PUBLISHER_META}, or leave it out.`;
    warn('meta-dropped', { pointer: joinPointer('/_meta', name), message: 'is dropped by the Registry', hint });
  }
  const size = encodeText(JSON.stringify(meta[PUBLISHER_META] ?? null)).length;
  if (size <= MAX_META_BYTES) return;
  const message = `has ${size} bytes, ${MAX_META_BYTES} are allowed`;
  report('meta-size', {
    pointer: joinPointer('/_meta', PUBLISHER_META),
    message,
    hint: 'Keep what builds need to know.',
  });
}

function checkOffer(manifest: unknown, warn: Report): void {
  if (!isObject(manifest) || findList(manifest, 'packages').length + findList(manifest, 'remotes').length > 0) return;
  const hint = 'Add a package that people can install, or a remote that they can reach.';
  warn('nothing-offered', { pointer: '', message: 'has neither packages nor remotes', hint });
}

/**
 * Reads server.json: plain JSON, no comments.
 *
 * @throws {DoorError} CONFIG_INVALID with file, line and column
 */
export function readManifest(name: string, bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Its reader knows the place of a mistake on every runtime; whatever it allows beyond JSON is the mistake itself.
    parseJsonc(name, bytes);
    throw new DoorError('CONFIG_INVALID', `${name}: comments and trailing commas are no JSON`, {
      data: { file: name },
      hint: 'Take them out: other readers refuse them.',
    });
  }
  const plain = encodeText(text);
  const twice = findDuplicateName(plain, 0, plain.length);
  if (twice === undefined) return value;
  throw new DoorError('CONFIG_INVALID', `${name}: ${quoted(twice)} stands twice in one object`, {
    data: { file: name },
    hint: 'Readers differ in which of the two counts: leave one of them out.',
  });
}
