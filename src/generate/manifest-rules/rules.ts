/**
 * What the Registry asks of a manifest beyond its JSON Schema, and the little that we ask on top: one row a rule. Taken from
 * the Registry's own checks as of 2026-11 (its documentation of server.json, and what its publisher answers).
 */
export const MANIFEST_RULES = {
  'schema-known': '$schema names a published schema; one older than the newest is a warning',
  'name-parts': 'both parts of the name begin and end with a letter or digit, and have two characters at least',
  'text-blank': 'title and description are not blank',
  'version-specific': 'versions are there where they are needed, and name one version: not latest, no range',
  'website-url': 'websiteUrl and the src of icons are absolute https URLs',
  'repository-url': 'the repository is on GitHub or GitLab, its URL that of a repository, its subfolder a clean path',
  'package-type': 'registryType is one that the Registry can check ownership on',
  'package-identifier': 'the identifier has the form that its registry gives to packages',
  'package-registry':
    'registryBaseUrl is the public one of its registryType, and absent where the identifier names the host',
  'package-digest': 'fileSha256 is there for mcpb, and absent where a registry keeps digests itself',
  'package-version': 'the packages have the version of the server',
  'stdio-url': 'a stdio transport has no url',
  'url-form': 'URLs of transports are absolute, http or https',
  'url-variables': 'what stands in braces in a URL is declared',
  'remote-public': 'remotes are https, and their host is a public one',
  'argument-name': 'names of arguments hold no value, placeholder or blank',
  'argument-value': 'value and default of a named argument do not repeat its name',
  'environment-name': 'names of environment variables are such',
  'header-name': 'names of headers are tokens',
  'name-twice': 'a variable or header is declared once',
  'secret-value': 'what is secret has neither value nor default: everybody could read it',
  'meta-size': 'what the publisher provides in _meta has 4096 bytes at most',
  'meta-dropped': 'other members of _meta are dropped by the Registry (a warning)',
  'nothing-offered': 'there is a package or a remote: without one nobody can use the server (a warning)',
} as const;

export type ManifestRule = keyof typeof MANIFEST_RULES;
