import { isObject } from '../../base/index.js';
import { quoted } from '../../config/index.js';
import { joinPointer } from '../../schema/index.js';
import type { ManifestFinding } from './finding.js';

/** The form of a value, as data. Members that an object does not name may be there, whatever they are. */
export type Shape =
  | TextShape
  | { readonly kind: 'flag' }
  | { readonly kind: 'list'; readonly items: Shape }
  | { readonly kind: 'map'; readonly values: Shape }
  | ObjectShape
  | ChoiceShape;

export interface TextShape {
  readonly kind: 'text';
  /** Lengths in characters, as JSON Schema counts them. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  /** The pattern for people. */
  readonly form?: string;
  readonly choices?: readonly string[];
  readonly forbidden?: string;
}

export interface ObjectShape {
  readonly kind: 'object';
  readonly members: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** One of these must be there. */
  readonly oneOf?: readonly string[];
}

/** Several forms, told apart by the member `type`. */
export interface ChoiceShape {
  readonly kind: 'choice';
  readonly types: Readonly<Record<string, ObjectShape>>;
}

/** Where a value departs from its shape; all places, each once. */
export function checkShape(shape: Shape, value: unknown, pointer = ''): readonly ManifestFinding[] {
  switch (shape.kind) {
    case 'text':
      return checkText(shape, value, pointer);
    case 'flag':
      return typeof value === 'boolean' ? [] : [wrongKind(pointer, 'true or false', value)];
    case 'list':
      if (!Array.isArray(value)) return [wrongKind(pointer, 'a list', value)];
      return value.flatMap((item, at) => checkShape(shape.items, item, joinPointer(pointer, at)));
    case 'map':
      if (!isObject(value)) return [wrongKind(pointer, 'an object', value)];
      return Object.entries(value).flatMap(([name, one]) => checkShape(shape.values, one, joinPointer(pointer, name)));
    case 'object':
      return checkObject(shape, value, pointer);
    case 'choice':
      return checkChoice(shape, value, pointer);
  }
}

function checkText(shape: TextShape, value: unknown, pointer: string): readonly ManifestFinding[] {
  if (typeof value !== 'string') return [wrongKind(pointer, 'text', value)];
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, form, choices, forbidden } = shape;
  const length = [...value].length;
  const shows = quoted(value);
  if (length > maxLength) {
    return [
      fault(pointer, `has ${length} characters, ${maxLength} are allowed`, `Shorten it by ${length - maxLength}.`),
    ];
  }
  if (length < minLength) {
    return [fault(pointer, `has ${length} characters, ${minLength} are needed`, 'Fill it in, or leave it out.')];
  }
  if (choices !== undefined && !choices.includes(value)) {
    return [
      fault(pointer, `is ${shows}, which is none of ${choices.join(', ')}`, `Write one of ${choices.join(', ')}.`),
    ];
  }
  if (forbidden === value) return [fault(pointer, `must not be ${shows}`, 'Name one version, such as 1.0.2.')];
  if (pattern !== undefined && !pattern.test(value)) {
    return [fault(pointer, `is ${shows}, and must be ${form}`, `Write ${form}.`)];
  }
  return [];
}

function checkObject(shape: ObjectShape, value: unknown, pointer: string): readonly ManifestFinding[] {
  if (!isObject(value)) return [wrongKind(pointer, 'an object', value)];
  const { members, required = [], oneOf = [] } = shape;
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => fault(joinPointer(pointer, name), 'is missing', `Write ${name}.`));
  const lacksAll = oneOf.length > 0 && !oneOf.some((name) => Object.hasOwn(value, name));
  const none = lacksAll ? [fault(pointer, `has neither ${oneOf.join(' nor ')}`, `Write ${oneOf.join(' or ')}.`)] : [];
  const present = Object.entries(members).flatMap(([name, member]) =>
    Object.hasOwn(value, name) ? checkShape(member, value[name], joinPointer(pointer, name)) : [],
  );
  return [...missing, ...none, ...present];
}

function checkChoice({ types }: ChoiceShape, value: unknown, pointer: string): readonly ManifestFinding[] {
  if (!isObject(value)) return [wrongKind(pointer, 'an object', value)];
  const place = joinPointer(pointer, 'type');
  const names = Object.keys(types);
  if (!Object.hasOwn(value, 'type')) return [fault(place, 'is missing', `Write one of ${names.join(', ')}.`)];
  const { type } = value;
  if (typeof type === 'string' && Object.hasOwn(types, type)) return checkObject(types[type]!, value, pointer);
  const shows = typeof type === 'string' ? quoted(type) : kindOf(type);
  return [fault(place, `is ${shows}, which is none of ${names.join(', ')}`, `Write one of ${names.join(', ')}.`)];
}

function wrongKind(pointer: string, wanted: string, value: unknown): ManifestFinding {
  return fault(pointer, `must be ${wanted}, and is ${kindOf(value)}`, `Make it ${wanted}, or leave it out.`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return (
    { string: 'text', number: 'a number', boolean: 'true or false', object: 'an object' }[String(typeof value)] ??
    'nothing'
  );
}

function fault(pointer: string, message: string, hint: string): ManifestFinding {
  return { rule: 'shape', severity: 'error', pointer, message, hint };
}
