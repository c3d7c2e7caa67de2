import { quoted } from '../../config/index.js';
import { joinPointer } from '../../schema/index.js';
import { findList, findMember, findText, type Report } from './finding.js';
import { findUrl } from './urls.js';

const PART = /^[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$/;

/** Who the server is: name, words, version, addresses. */
export function checkIdentity(manifest: unknown, report: Report): void {
  checkName(findText(manifest, 'name'), report);
  for (const name of ['title', 'description']) {
    const text = findText(manifest, name);
    if (text !== undefined && text !== '' && text.trim() === '') {
      report('text-blank', { pointer: `/${name}`, message: 'is blank', hint: 'Fill it in, or leave it out.' });
    }
  }
  checkVersion({ text: findText(manifest, 'version'), pointer: '/version' }, report);
  checkHttps({ text: findText(manifest, 'websiteUrl'), pointer: '/websiteUrl' }, report);
  for (const [at, icon] of findList(manifest, 'icons').entries()) {
    checkHttps({ text: findText(icon, 'src'), pointer: `/icons/${at}/src` }, report);
  }
  checkRepository(findMember(manifest, 'repository'), report);
}

function checkName(name: string | undefined, report: Report): void {
  const parts = name?.split('/') ?? [];
  if (parts.length !== 2) return;
  const wrong = parts.find((part) => !PART.test(part));
  if (wrong === undefined) return;
  const message = `has the part ${quoted(wrong)}, which must begin and end with a letter or digit and have two characters at least`;
  report('name-parts', { pointer: '/name', message, hint: 'Use io.github.OWNER/NAME, or a reversed domain of yours.' });
}

export interface TextAt {
  readonly text: string | undefined;
  readonly pointer: string;
}

const NUMBERS = String.raw`v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?`;

/** How versions look that mean more than one. */
const RANGES: readonly RegExp[] = [
  new RegExp(String.raw`^(?:\^|~|>=|<=|>|<|=)\s*${NUMBERS}$`),
  new RegExp(String.raw`^${NUMBERS}\s+-\s+${NUMBERS}$`),
  new RegExp(String.raw`^${NUMBERS}(?:\s*\|\|\s*${NUMBERS})+$`),
  /^(?=.*[xX*])(?:v?\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}(?:-[0-9A-Za-z.-]+)?$/,
];

/** A version that means one thing for ever. What is absent is another's to complain about. */
export function checkVersion({ text, pointer }: TextAt, report: Report): void {
  if (text === undefined) return;
  const version = text.trim();
  const hint = 'Name one version, such as 1.0.2.';
  const say = (message: string) => report('version-specific', { pointer, message, hint });
  if (version === '') say('is blank');
  else if (version === 'latest') say('is "latest", which means another version every time');
  else if (RANGES.some((range) => range.test(version))) say(`is ${quoted(version)}, which is a range`);
}

function checkHttps({ text, pointer }: TextAt, report: Report): void {
  if (text === undefined || findUrl(text)?.protocol === 'https:') return;
  const hint = 'Write an absolute URL that begins with https://.';
  report('website-url', { pointer, message: `is ${quoted(text)}, which is no https URL`, hint });
}

const HOSTS: Readonly<Record<string, RegExp>> = {
  github: /^https?:\/\/(?:www\.)?github\.com\/[\w.-]+\/[\w.-]+\/?$/,
  gitlab: /^https?:\/\/(?:www\.)?gitlab\.com\/[\w.-]+\/[\w.-]+\/?$/,
};

function checkRepository(repository: unknown, report: Report): void {
  const source = findText(repository, 'source');
  const url = findText(repository, 'url');
  if (source === undefined || url === undefined) return;
  const form = Object.hasOwn(HOSTS, source) ? HOSTS[source] : undefined;
  if (form === undefined) {
    const message = `is ${quoted(source)}, and the Registry knows github and gitlab`;
    const hint = 'Write github or gitlab, or leave the repository out and give a websiteUrl.';
    report('repository-url', { pointer: '/repository/source', message, hint });
  } else if (!form.test(url)) {
    const message = `is ${quoted(url)}, which is no repository on ${source}`;
    report('repository-url', { pointer: '/repository/url', message, hint: `Write https://${source}.com/OWNER/NAME.` });
  }
  const subfolder = findText(repository, 'subfolder');
  if (subfolder === undefined || isCleanPath(subfolder)) return;
  const message = `is ${quoted(subfolder)}, which is no clean relative path`;
  const hint = 'Write it from the root of the repository, with / between names, without .. and without / at its ends.';
  report('repository-url', { pointer: joinPointer('/repository', 'subfolder'), message, hint });
}

function isCleanPath(path: string): boolean {
  if (path === '') return true;
  return (
    /^[a-zA-Z0-9\-_./]+$/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}
