import { Validator } from '@cfworker/json-schema';
import '@hyperjump/json-schema/draft-07';
import { registerSchema, type SchemaObject, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { DIALECT_URI } from '../../conformance/schema/suite.js';
import type { Dialect } from '../../src/schema/index.js';
import type { IsValid } from './corpus.js';

/** A compiled check; what was wrong with the last value hangs on it. */
export type AjvCheck = IsValid & { readonly errors?: readonly { readonly message?: string }[] | null };

const AJV_OPTIONS: Options = {
  // Real tools use keywords ajv does not know; formats are annotations for us, so nobody checks them here.
  strict: false,
  validateFormats: false,
  logger: false,
  // The same work as ours: every schema is checked against its metaschema.
  validateSchema: true,
};

/**
 * ajv as somebody who knows it would run it: one instance a dialect, whose metaschema was compiled before, and each
 * schema forgotten after use. The real tools use two dialects.
 */
export class AjvBench {
  readonly #draft07: Ajv;
  readonly #draft2020: Ajv2020;

  constructor(options: { readonly allErrors: boolean }) {
    this.#draft07 = new Ajv({ ...AJV_OPTIONS, ...options });
    this.#draft2020 = new Ajv2020({ ...AJV_OPTIONS, ...options });
    for (const instance of [this.#draft07, this.#draft2020]) instance.compile({ type: 'object' });
  }

  compile(schema: object, dialect: Dialect): AjvCheck {
    if (dialect !== '2020-12' && dialect !== 'draft-07') throw new Error(`no real tool was expected to use ${dialect}`);
    const instance = dialect === 'draft-07' ? this.#draft07 : this.#draft2020;
    const check = instance.compile(schema);
    instance.removeSchema(schema);
    return check as AjvCheck;
  }
}

/** ajv with an instance of its own for each schema, which then compiles the metaschema again: how many servers use it. */
export function compileWithFreshAjv(schema: object, dialect: Dialect): IsValid {
  const instance = dialect === 'draft-07' ? new Ajv(AJV_OPTIONS) : new Ajv2020(AJV_OPTIONS);
  return instance.compile(schema) as IsValid;
}

const CFWORKER_DRAFT = {
  '2020-12': '2020-12',
  '2019-09': '2019-09',
  'draft-07': '7',
  'draft-06': '7',
  'draft-04': '4',
} as const;

/** cfworker interprets; it stops at the first error, which is the faster of its two ways. */
export function compileWithCfworker(schema: object, dialect: Dialect): IsValid {
  const validator = new Validator(schema, CFWORKER_DRAFT[dialect], true);
  return (value) => validator.validate(value).valid;
}

let serial = 0;

export async function compileWithHyperjump(schema: object, dialect: Dialect): Promise<IsValid> {
  const uri = `https://bench.invalid/${++serial}`;
  registerSchema(schema as SchemaObject, uri, DIALECT_URI[dialect]);
  const check = await validate(uri);
  unregisterSchema(uri);
  return (value) => check(value as SchemaObject).valid;
}
