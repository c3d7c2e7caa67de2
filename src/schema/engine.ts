// The only file that knows which library evaluates.
import { Validator } from 'ata-validator';

export interface EngineError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface Engine {
  isValid(value: unknown): boolean;
  errors(value: unknown): readonly EngineError[];
}

export function createEngine(schema: object | boolean): Engine {
  const validator = new Validator(schema, {
    assertFormat: false,
    useDefaults: false,
    richErrors: false,
    formats: { '': () => true },
  });
  return {
    isValid: (value) => validator.isValidObject(value),
    errors: (value) => validator.validate(value).errors as unknown as readonly EngineError[],
  };
}
