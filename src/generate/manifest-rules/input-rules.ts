import { isObject } from '../../base/index.js';
import { quoted } from '../../config/index.js';
import { joinPointer } from '../../schema/index.js';
import { findList, findMember, findText, type Report } from './finding.js';

/** POSIX, and what every shell and every system takes. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** RFC 9110, 5.1: a token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What users of the server fill in: arguments, environment variables, headers. */
export function checkArguments(holder: unknown, pointer: string, report: Report): void {
  for (const kind of ['runtimeArguments', 'packageArguments']) {
    for (const [at, argument] of findList(holder, kind).entries()) {
      const place = joinPointer(joinPointer(pointer, kind), at);
      checkSecret(argument, place, report);
      if (findText(argument, 'type') === 'named') checkNamed(argument, place, report);
    }
  }
}

function checkNamed(argument: unknown, pointer: string, report: Report): void {
  const name = findText(argument, 'name');
  if (name === undefined) return;
  if (name === '' || /[<>\s$]/.test(name)) {
    const message = name === '' ? 'is empty' : `is ${quoted(name)}: a name holds no blank, <, > or $`;
    const hint = 'Write the flag alone, with its dashes; what follows it goes into value, default or placeholder.';
    report('argument-name', { pointer: `${pointer}/name`, message, hint });
    return;
  }
  for (const member of ['value', 'default']) {
    if (!findText(argument, member)?.startsWith(name)) continue;
    const hint = 'Write what follows the flag; clients put the flag before it themselves.';
    report('argument-value', {
      pointer: `${pointer}/${member}`,
      message: `begins with the name, ${quoted(name)}`,
      hint,
    });
  }
}

export function checkVariables(holder: unknown, pointer: string, report: Report): void {
  checkNames(
    { holder, member: 'environmentVariables', form: VARIABLE_NAME, rule: 'environment-name', ignoresCase: false },
    { pointer, report },
  );
}

export function checkHeaders(holder: unknown, pointer: string, report: Report): void {
  checkNames(
    { holder, member: 'headers', form: HEADER_NAME, rule: 'header-name', ignoresCase: true },
    { pointer, report },
  );
}

interface Names {
  readonly holder: unknown;
  readonly member: string;
  readonly form: RegExp;
  readonly rule: 'environment-name' | 'header-name';
  readonly ignoresCase: boolean;
}

interface Spot {
  readonly pointer: string;
  readonly report: Report;
}

function checkNames({ holder, member, form, rule, ignoresCase }: Names, { pointer, report }: Spot): void {
  const seen = new Set<string>();
  for (const [at, input] of findList(holder, member).entries()) {
    const place = joinPointer(joinPointer(pointer, member), at);
    checkSecret(input, place, report);
    const name = findText(input, 'name');
    if (name === undefined) continue;
    const key = ignoresCase ? name.toLowerCase() : name;
    if (!form.test(name)) {
      const letters =
        rule === 'environment-name' ? 'letters, digits and _, no digit first' : 'letters, digits, - and _';
      const hint = `Use ${letters}.`;
      report(rule, { pointer: `${place}/name`, message: `is ${quoted(name)}, which is no name of its kind`, hint });
    } else if (seen.has(key)) {
      const hint = 'Leave one of them out.';
      report('name-twice', {
        pointer: `${place}/name`,
        message: `is ${quoted(name)}, which is declared already`,
        hint,
      });
    }
    seen.add(key);
  }
}

/** The manifest is public: a secret in it is none any more. A value that is made of variables tells nothing. */
function checkSecret(input: unknown, pointer: string, report: Report): void {
  checkSecretMembers(input, pointer, report);
  const variables = findMember(input, 'variables');
  for (const [name, variable] of isObject(variables) ? Object.entries(variables) : []) {
    checkSecretMembers(variable, joinPointer(`${pointer}/variables`, name), report);
  }
}

export function checkSecretMembers(input: unknown, pointer: string, report: Report): void {
  if (findMember(input, 'isSecret') !== true) return;
  for (const member of ['value', 'default']) {
    const text = findText(input, member);
    if (text === undefined || text === '' || /\{[^{}]+\}/.test(text)) continue;
    const hint =
      'Leave it out: clients ask the user for it. A form around it is written with a variable, as Bearer {token}.';
    report('secret-value', { pointer: `${pointer}/${member}`, message: 'is there, and the input is secret', hint });
  }
}
