import { quoted } from '../../config/index.js';
import { joinPointer } from '../../schema/index.js';
import { findList, findMember, findText, type Report } from './finding.js';
import { checkVersion } from './identity-rules.js';
import { checkArguments, checkVariables } from './input-rules.js';
import { checkPackageTransport } from './transport-rules.js';
import { findUrl } from './urls.js';

/** What a registry of packages asks of those who point at it. */
interface PackageType {
  readonly isIdentifier: (identifier: string) => boolean;
  /** For people: what the identifier must be. */
  readonly form: string;
  /** The only base URL the Registry takes; absent where the identifier names its host. */
  readonly baseUrl?: string;
  /** Whether the version stands beside the identifier; else it stands in it. */
  readonly hasVersion: boolean;
  readonly digest: 'required' | 'refused';
}

const NPM_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const PYPI_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const NUGET_NAME = /^[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*$/;
const OCI_HOST = /^(?:docker\.io|ghcr\.io|mcr\.microsoft\.com|[a-z0-9-]+\.pkg\.dev|[a-z0-9-]+\.azurecr\.io)$/;
const OCI_REFERENCE = /^([a-z0-9.-]+)\/[a-z0-9._/-]+(?::[\w.-]+|@sha256:[a-f0-9]{64}|:[\w.-]+@sha256:[a-f0-9]{64})$/;
const RELEASE_PATH = /^\/[^/]+\/.+\/releases\/.+/;

/** Facts of the Registry's ownership checks, by registryType. */
const PACKAGE_TYPES: Readonly<Record<string, PackageType>> = {
  npm: {
    isIdentifier: (identifier) => NPM_NAME.test(identifier) && identifier.length <= 214,
    form: 'the name of an npm package',
    baseUrl: 'https://registry.npmjs.org',
    hasVersion: true,
    digest: 'refused',
  },
  pypi: {
    isIdentifier: (identifier) => PYPI_NAME.test(identifier),
    form: 'the name of a project on PyPI',
    baseUrl: 'https://pypi.org',
    hasVersion: true,
    digest: 'refused',
  },
  nuget: {
    isIdentifier: (identifier) => NUGET_NAME.test(identifier) && identifier.length <= 100,
    form: 'the id of a NuGet package',
    baseUrl: 'https://api.nuget.org/v3/index.json',
    hasVersion: true,
    digest: 'refused',
  },
  oci: {
    isIdentifier: (identifier) => OCI_HOST.test(OCI_REFERENCE.exec(identifier)?.[1] ?? ''),
    form: 'an image with its host and a tag or digest, on docker.io, ghcr.io, mcr.microsoft.com, *.pkg.dev or *.azurecr.io',
    hasVersion: false,
    digest: 'refused',
  },
  mcpb: {
    isIdentifier: isRelease,
    form: 'the https URL of a release file on GitHub or GitLab, with mcp in it',
    hasVersion: false,
    digest: 'required',
  },
};

function isRelease(identifier: string): boolean {
  const url = findUrl(identifier);
  if (url?.protocol !== 'https:' || !/^(?:www\.)?(?:github|gitlab)\.com$/.test(url.hostname)) return false;
  return RELEASE_PATH.test(url.pathname) && identifier.toLowerCase().includes('mcp');
}

/** Whether packages of this type have a version beside their identifier. */
export function hasOwnVersion(registryType: string): boolean {
  return Object.hasOwn(PACKAGE_TYPES, registryType) && PACKAGE_TYPES[registryType]!.hasVersion;
}

/** The base URL that is meant where a package of this type names none. */
export function publicBaseUrlOf(registryType = ''): string | undefined {
  return Object.hasOwn(PACKAGE_TYPES, registryType) ? PACKAGE_TYPES[registryType]!.baseUrl : undefined;
}

/** Where the server can be installed from: each package as its own registry wants it. */
export function checkPackages(manifest: unknown, report: Report): void {
  const serverVersion = findText(manifest, 'version');
  for (const [at, one] of findList(manifest, 'packages').entries()) {
    const pointer = joinPointer('/packages', at);
    checkArguments(one, pointer, report);
    checkVariables(one, pointer, report);
    checkPackageTransport(one, pointer, report);
    checkType(one, pointer, report);
    checkPackageVersion({ one, pointer, serverVersion }, report);
  }
}

function checkType(one: unknown, pointer: string, report: Report): void {
  const registryType = findText(one, 'registryType');
  const identifier = findText(one, 'identifier');
  if (registryType === undefined) return;
  const type = Object.hasOwn(PACKAGE_TYPES, registryType) ? PACKAGE_TYPES[registryType] : undefined;
  if (type === undefined) {
    const message = `is ${quoted(registryType)}, which the Registry checks no ownership on`;
    const hint = `Write one of ${Object.keys(PACKAGE_TYPES).join(', ')}.`;
    report('package-type', { pointer: `${pointer}/registryType`, message, hint });
    return;
  }
  if (identifier !== undefined && !type.isIdentifier(identifier)) {
    const message = `is ${quoted(identifier)}, which is not ${type.form}`;
    report('package-identifier', { pointer: `${pointer}/identifier`, message, hint: `Write ${type.form}.` });
  }
  checkBaseUrl({ one, pointer, type, registryType }, report);
  checkDigest({ one, pointer, type, registryType }, report);
}

interface TypedPackage {
  readonly one: unknown;
  readonly pointer: string;
  readonly type: PackageType;
  readonly registryType: string;
}

function checkBaseUrl({ one, pointer, type, registryType }: TypedPackage, report: Report): void {
  const baseUrl = findText(one, 'registryBaseUrl');
  if (baseUrl === undefined || baseUrl === type.baseUrl) return;
  const wanted = type.baseUrl === undefined ? 'the identifier names the host' : `${type.baseUrl} is the only one`;
  const message = `is ${quoted(baseUrl)}, and for ${registryType} ${wanted}`;
  report('package-registry', { pointer: `${pointer}/registryBaseUrl`, message, hint: 'Leave it out.' });
}

function checkDigest({ one, pointer, type, registryType }: TypedPackage, report: Report): void {
  const isThere = findMember(one, 'fileSha256') !== undefined;
  if (isThere === (type.digest === 'required')) return;
  const message = isThere
    ? `is there, and ${registryType} keeps digests itself`
    : `is missing, and ${registryType} needs it`;
  const hint = isThere ? 'Leave it out.' : 'Write the SHA-256 of the file, as sha256sum prints it.';
  report('package-digest', { pointer: `${pointer}/fileSha256`, message, hint });
}

interface VersionedPackage {
  readonly one: unknown;
  readonly pointer: string;
  readonly serverVersion: string | undefined;
}

function checkPackageVersion({ one, pointer, serverVersion }: VersionedPackage, report: Report): void {
  const registryType = findText(one, 'registryType') ?? '';
  const version = findText(one, 'version');
  const place = `${pointer}/version`;
  if (!Object.hasOwn(PACKAGE_TYPES, registryType)) return checkVersion({ text: version, pointer: place }, report);
  if (!hasOwnVersion(registryType)) {
    if (registryType === 'oci' && version !== undefined) {
      const hint = 'Leave it out; the tag or digest of the image is its version.';
      report('package-version', {
        pointer: place,
        message: 'is there, and an image has its version in identifier',
        hint,
      });
    }
    return;
  }
  if (version === undefined) {
    if (findMember(one, 'version') !== undefined) return;
    const message = `is missing, and ownership on ${registryType} is checked on one version`;
    report('version-specific', { pointer: place, message, hint: 'Write the version that is published there.' });
    return;
  }
  checkVersion({ text: version, pointer: place }, report);
  if (serverVersion === undefined || version === serverVersion) return;
  const message = `is ${quoted(version)}, and the server's is ${quoted(serverVersion)}`;
  report('package-version', { pointer: place, message, hint: 'Let one version stand for both: package.json has it.' });
}
