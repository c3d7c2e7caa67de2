import { quoted } from '../../config/index.js';
import { findMember, type ManifestFinding } from './finding.js';

/** When the Registry published a schema of server.json. It takes new servers by the newest only. */
const SCHEMA_DATES: readonly string[] = [
  '2025-07-09',
  '2025-09-16',
  '2025-09-29',
  '2025-10-11',
  '2025-10-17',
  '2025-12-11',
];

export const CURRENT_SCHEMA_DATE = SCHEMA_DATES.at(-1)!;

export function schemaUrlOf(date: string): string {
  return `https://static.modelcontextprotocol.io/schemas/${date}/server.schema.json`;
}

/** Judged by the list above, never by asking: a build must come out the same without a network. */
export function checkSchemaDate(manifest: unknown): readonly ManifestFinding[] {
  const value = findMember(manifest, '$schema');
  const current = schemaUrlOf(CURRENT_SCHEMA_DATE);
  const found = { rule: 'schema-known', pointer: '/$schema', hint: `Write ${current}.` } as const;
  if (value === undefined) return [{ ...found, severity: 'error', message: 'is missing' }];
  if (typeof value !== 'string' || value === current) return [];
  const date = SCHEMA_DATES.find((one) => schemaUrlOf(one) === value);
  if (date === undefined) {
    return [
      { ...found, severity: 'error', message: `is ${quoted(value)}, which is no schema that the Registry published` },
    ];
  }
  const message = `is deprecated: the schema of ${date}, and ${CURRENT_SCHEMA_DATE} is the newest`;
  return [{ ...found, severity: 'warning', message }];
}
