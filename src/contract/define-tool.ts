import type { Judge } from '../schema/index.js';
import { contractInvalid } from './contract-invalid.js';
import { deepFreeze, inputSchemaOf, outputSchemaOf } from './json-schema.js';
import { judgesOf } from './judges.js';
import { holdPlainJson, holdTexts } from './plain-json.js';
import type { StandardSchema } from './standard-schema.js';
import type { Tool, ToolAnnotations, ToolDefinition, ToolKind } from './types.js';

/** What every model vendor takes as it is, with room for a client's own prefix. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const ANNOTATIONS: Readonly<Record<ToolKind, ToolAnnotations>> = {
  read: Object.freeze({ readOnlyHint: true, destructiveHint: false }),
  write: Object.freeze({ readOnlyHint: false, destructiveHint: false }),
  destructive: Object.freeze({ readOnlyHint: false, destructiveHint: true }),
};

/**
 * Defines a tool: checks it, and converts its schemas to JSON Schema, once.
 *
 * @throws {DoorError} CONTRACT_INVALID names the tool and the path in it
 */
export function defineTool<
  const Name extends string,
  Input extends StandardSchema<unknown, unknown>,
  Output extends StandardSchema<unknown, unknown>,
>(definition: ToolDefinition<Name, Input, Output>): Tool<Name, Input, Output> {
  const named: unknown = definition.name;
  const where = `tools/${typeof named === 'object' ? '?' : String(named).slice(0, 100)}`;
  checkParts(definition, where);
  checkWords(definition, where);
  const inputSchema = inputSchemaOf(definition.input, where);
  const outputSchema = outputSchemaOf(definition.output, where);
  const judges = judgesOf({
    input: { source: definition.input, schema: inputSchema, where, path: '/input' },
    output: { source: definition.output, schema: outputSchema, where, path: '/output' },
  });
  const { locality = 'remote', visibility = 'public', profiles = [], examples = [], aliases = [] } = definition;
  const annotations = ANNOTATIONS[definition.kind];
  for (const [at, example] of examples.entries()) checkExample(judges.input, example?.input, where, at);
  for (const part of [definition.availability, definition.auth, definition.meta]) deepFreeze(part);
  return Object.freeze({
    ...definition,
    locality,
    visibility,
    profiles: Object.freeze([...profiles]),
    examples: deepFreeze([...examples]),
    aliases: Object.freeze([...aliases]),
    inputSchema,
    outputSchema,
    judges,
    annotations,
  });
}

/** What types hold to where programs are compiled: a scope that is misspelt must not leave a tool to everybody. */
function checkParts(definition: Omit<ToolDefinition, 'input' | 'output'>, where: string): void {
  const { aliases, availability, profiles, auth, examples = [], meta, title, deprecated, when } = definition;
  hold(aliases === undefined || Array.isArray(aliases), where, '/aliases', 'must be a list');
  holdTexts(availability, where, '/availability');
  holdTexts(profiles, where, '/profiles');
  if (auth !== undefined) holdTexts((auth as Partial<typeof auth> | null)?.scopes ?? null, where, '/auth/scopes');
  hold(Array.isArray(examples), where, '/examples', 'must be a list');
  for (const [at, example] of examples.entries()) holdPlainJson(example ?? {}, where, `/examples/${at}`);
  if (meta !== undefined) {
    hold(typeof meta === 'object' && meta !== null && !Array.isArray(meta), where, '/meta', 'must be an object');
    holdPlainJson(meta, where, '/meta');
  }
  hold(title === undefined || typeof title === 'string', where, '/title', 'must be a text');
  hold(deprecated === undefined || typeof deprecated === 'string', where, '/deprecated', 'must be a text');
  hold(when === undefined || typeof when === 'function', where, '/when', 'must be a function');
}

function checkWords(definition: Omit<ToolDefinition, 'examples'>, where: string): void {
  const { name, description, kind, aliases = [], locality = 'remote', visibility = 'public' } = definition;
  for (const [path, one] of [
    ['/name', name] as const,
    ...aliases.map((alias, at) => [`/aliases/${at}`, alias] as const),
  ]) {
    if (typeof one === 'string' && NAME.test(one)) continue;
    const hint = 'Use letters, digits, _ and -, at most 64, beginning with a letter or _.';
    throw contractInvalid(where, path, `${shown(one)} is no name every client takes`, hint);
  }
  if (typeof description !== 'string' || description.trim() === '') {
    throw contractInvalid(where, '/description', 'is missing', 'Say what it does and when to use it.');
  }
  hold(Object.hasOwn(ANNOTATIONS, kind), where, '/kind', 'must be "read", "write" or "destructive"');
  hold(locality === 'local' || locality === 'remote', where, '/locality', 'must be "local" or "remote"');
  hold(visibility === 'public' || visibility === 'private', where, '/visibility', 'must be "public" or "private"');
}

function hold(isMet: boolean, where: string, path: string, problem: string): void {
  if (!isMet) throw contractInvalid(where, path, problem);
}

function shown(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : `a ${typeof name}`;
}

function checkExample(judge: Judge, input: unknown, where: string, at: number): void {
  const verdict = judge.checkValue(input);
  if (verdict.valid) return;
  const [issue] = verdict.issues;
  throw contractInvalid(where, `/examples/${at}/input${issue!.pointer}`, issue!.message);
}
