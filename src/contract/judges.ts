import { compileSchema, isPlainlyFit, type Judge } from '../schema/index.js';
import { contractInvalid } from './contract-invalid.js';
import type { StandardSchema } from './standard-schema.js';
import type { JsonSchema, Tool } from './types.js';

interface Judged {
  /** What the author wrote. */
  readonly source: StandardSchema;
  /** What it became. */
  readonly schema: JsonSchema;
  readonly where: string;
  readonly path: string;
}

/**
 * The judges of a tool, each made when it is first wanted; what they judge by is looked over now.
 *
 * @throws {DoorError} CONTRACT_INVALID where a schema cannot be judged by
 */
export function judgesOf({ input, output }: { readonly input: Judged; readonly output: Judged }): Tool['judges'] {
  const makeInput = judgeMaker(input);
  const makeOutput = judgeMaker(output);
  return Object.freeze({
    get input(): Judge {
      return makeInput();
    },
    get output(): Judge {
      return makeOutput();
    },
  });
}

function judgeMaker(judged: Judged): () => Judge {
  let judge: Judge | undefined;
  // What zod writes is JSON; of another library's only compiling can tell.
  if (judged.source['~standard'].vendor !== 'zod' || !isPlainlyFit(judged.schema)) judge = compile(judged);
  return () => {
    judge ??= compile(judged);
    return judge;
  };
}

function compile({ schema, where, path }: Judged): Judge {
  const compiled = compileSchema(schema);
  if (compiled.ok) return compiled.judge;
  const { message, data } = compiled.error;
  throw contractInvalid(where, `${path}${String(data.schemaPath)}`, message);
}
