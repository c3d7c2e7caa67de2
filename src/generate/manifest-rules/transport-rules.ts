import { isObject } from '../../base/index.js';
import { quoted } from '../../config/index.js';
import { joinPointer } from '../../schema/index.js';
import { findList, findMember, findText, type Report } from './finding.js';
import { checkHeaders, checkSecretMembers } from './input-rules.js';
import { findTemplatedUrl, isPrivateHost, variablesOf } from './urls.js';

/** How a package is spoken to once it runs. Its URL may be one of the user's own machine. */
export function checkPackageTransport(one: unknown, pointer: string, report: Report): void {
  const transport = findMember(one, 'transport');
  const place = `${pointer}/transport`;
  const url = findText(transport, 'url');
  if (findText(transport, 'type') === 'stdio') {
    if (url === undefined || url === '') return;
    report('stdio-url', { pointer: `${place}/url`, message: 'is there, and stdio has none', hint: 'Leave it out.' });
    return;
  }
  checkHeaders(transport, place, report);
  if (url !== undefined) checkUrl({ url, pointer: `${place}/url`, declared: inputNamesOf(one) }, report);
}

/** What a URL of a package may refer to. */
function inputNamesOf(one: unknown): readonly string[] {
  const named = ['environmentVariables', 'runtimeArguments', 'packageArguments'].flatMap((kind) => findList(one, kind));
  return named.flatMap((input) => [findText(input, 'name') ?? [], findText(input, 'valueHint') ?? []].flat());
}

/** Where the server can be reached already, by everybody. */
export function checkRemotes(manifest: unknown, report: Report): void {
  for (const [at, remote] of findList(manifest, 'remotes').entries()) {
    const place = joinPointer('/remotes', at);
    checkHeaders(remote, place, report);
    const variables = findMember(remote, 'variables');
    const declared = isObject(variables) ? variables : {};
    for (const [name, variable] of Object.entries(declared)) {
      checkSecretMembers(variable, joinPointer(`${place}/variables`, name), report);
    }
    const url = findText(remote, 'url');
    if (url === undefined) continue;
    const pointer = `${place}/url`;
    if (checkUrl({ url, pointer, declared: Object.keys(declared) }, report)) checkPublic(url, pointer, report);
  }
}

interface TemplatedUrl {
  readonly url: string;
  readonly pointer: string;
  readonly declared: readonly string[];
}

/** @returns whether it is a URL at all */
function checkUrl({ url, pointer, declared }: TemplatedUrl, report: Report): boolean {
  const found = findTemplatedUrl(url);
  if (found === undefined || !/^https?:$/.test(found.protocol)) {
    const hint = 'Write an absolute URL, as https://mcp.example.com/mcp; {variables} may stand in it.';
    report('url-form', { pointer, message: `is ${quoted(url)}, which is no http or https URL`, hint });
    return false;
  }
  const unknown = [...new Set(variablesOf(url))].filter((name) => !declared.includes(name));
  for (const name of unknown) {
    const known = declared.length > 0 ? `; declared are ${declared.join(', ')}` : '';
    const message = `uses ${quoted(`{${name}}`)}, which is declared nowhere${known}`;
    report('url-variables', { pointer, message, hint: 'Declare it, or write what it stands for.' });
  }
  return true;
}

function checkPublic(url: string, pointer: string, report: Report): void {
  const { protocol, hostname } = findTemplatedUrl(url)!;
  if (protocol !== 'https:') {
    const hint = 'Serve it with a certificate and write https://.';
    report('remote-public', { pointer, message: `is ${quoted(url)}, which is not https`, hint });
  }
  if (isPrivateHost(hostname)) {
    const message = `is ${quoted(url)}, and ${quoted(hostname)} is reached from one machine or network only`;
    const hint = 'Name a public host; a server that runs at its user is a package, not a remote.';
    report('remote-public', { pointer, message, hint });
  }
}
