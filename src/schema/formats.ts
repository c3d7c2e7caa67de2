/** What a string must look like where formats are asserted or reported. */
export interface Format {
  readonly expected: string;
  readonly hint: string;
  matches(text: string): boolean;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/;
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}";
const MAILBOX = new RegExp(`^(?:${ATOM}(?:\\.${ATOM}){0,31}|"(?:[ !#-[\\]-~]|\\\\[ -~]){0,62}")$`);
const HOST_LITERAL = /^\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[\dA-Fa-f:.]{2,45})\]$/;
const HOST_LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['email', { expected: 'email address', hint: 'Write it as name@example.com.', matches: isEmail }],
  ['uri', { expected: 'URI', hint: 'Begin it with its scheme: https://example.com/page.', matches: isUri }],
  ['date', { expected: 'date', hint: 'Write it as YYYY-MM-DD.', matches: isDate }],
  ['date-time', { expected: 'date and time', hint: 'Write it as YYYY-MM-DDThh:mm:ssZ.', matches: isDateTime }],
]);

/** The format of that name; undefined for all but email, uri, date and date-time, which stay annotations. */
export function findFormat(name: string): Format | undefined {
  return FORMATS.get(name);
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  return (
    year !== undefined && Number(month) >= 1 && Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month))
  );
}

/** @returns 0 for a month there is not */
function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

function isDateTime(text: string): boolean {
  return /^[Tt]$/.test(text[10] ?? '') && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

function isTime(text: string): boolean {
  const [, hour, minute, second, offsetHour = '0', offsetMinute = '0'] = TIME.exec(text) ?? [];
  if (hour === undefined || Number(offsetHour) > 23 || Number(offsetMinute) > 59) return false;
  if (Number(hour) > 23 || Number(minute) > 59) return false;
  if (Number(second) < 60) return true;
  // A leap second comes at the end of a day in UTC.
  const sign = text.includes('-') ? 1 : -1;
  const utc = Number(hour) * 60 + Number(minute) + sign * (Number(offsetHour) * 60 + Number(offsetMinute));
  return Number(second) === 60 && (utc + 1_440) % 1_440 === 1_439;
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > 254 || !MAILBOX.test(text.slice(0, at))) return false;
  const host = text.slice(at + 1);
  return isHost(host) || HOST_LITERAL.test(host);
}

function isHost(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => HOST_LABEL.test(label));
}

function isUri(text: string): boolean {
  return URI.test(text);
}
