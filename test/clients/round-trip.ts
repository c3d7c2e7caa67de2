import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { CallSignal } from '../../src/base/index.js';
import { run } from '../../src/cli/run.js';
import { screenOf } from '../../src/cli/screen.js';
import { loadClients } from '../../src/config/index.js';
import { ROOT } from '../house/tree.js';

type Clients = Awaited<ReturnType<typeof loadClients>>;
export type Client = Clients['CLIENTS'][number];

/** What came of one client: a line for people, and every miss. */
export interface RoundTrip {
  readonly id: string;
  /** What was tried, in order, each with its outcome. */
  readonly steps: readonly string[];
  readonly misses: readonly string[];
}

const FIXTURES = join(ROOT, 'test', 'fixtures', 'clients');

/** Each is written by `client add` and read back by `import`; the last two refer to secrets. */
const TRIES = [
  { name: 'stdio', words: [], wanted: { command: 'npx', args: ['-y', 'doorward@VERSION', 'stdio'] } },
  {
    name: 'http',
    words: ['--mode', 'http', '--url', 'https://gateway.example/mcp'],
    wanted: { type: 'http', url: 'https://gateway.example/mcp' },
  },
  {
    name: 'local',
    words: ['--mode', 'local', '--env', 'NOTES_LEVEL=info', '--', 'node', 'notes server.js', '--all'],
    wanted: { command: 'node', args: ['notes server.js', '--all'], env: { NOTES_LEVEL: 'info' } },
  },
  {
    name: 'secret',
    words: [
      ...['--mode', 'http', '--url', 'https://gateway.example/mcp'],
      ...['--header', 'Authorization: Bearer ${GATEWAY_TOKEN}'],
    ],
    wanted: {
      type: 'http',
      url: 'https://gateway.example/mcp',
      headers: { Authorization: 'Bearer ${GATEWAY_TOKEN}' },
    },
  },
  {
    name: 'variable',
    words: ['--mode', 'local', '--env', 'NOTES_KEY', '--', 'node', 'notes.js'],
    wanted: { command: 'node', args: ['notes.js'], env: { NOTES_KEY: '${NOTES_KEY}' } },
  },
] as const;

/** Adds every kind of entry to a client's fixture file, over one another, and imports what then stands there. */
export async function roundTrip(client: Client, version: string): Promise<RoundTrip> {
  const trip = new Trip(client, await loadClients(), version);
  try {
    for (const attempt of TRIES) await trip.take(attempt);
  } finally {
    trip.end();
  }
  return { id: client.id, steps: trip.steps, misses: trip.misses };
}

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

class Trip {
  readonly steps: string[] = [];
  readonly misses: string[] = [];
  readonly #client: Client;
  readonly #clients: Clients;
  readonly #version: string;
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'doorward-clients-')));
  readonly #file: string | undefined;
  readonly #original: string;
  readonly #scope: 'user' | 'project';

  constructor(client: Client, clients: Clients, version: string) {
    this.#client = client;
    this.#clients = clients;
    this.#version = version;
    const fixture = fixtureOf(client);
    this.#original = readFileSync(fixture, 'utf8');
    this.#scope = clients.scopesOf(client)[0] ?? 'user';
    const machine = { os: 'linux', environment: this.#environment } as const;
    const [place] = clients.candidatesFor(client, this.#scope, machine);
    this.#file = place === undefined ? undefined : resolve(this.#folder, 'project', place);
    for (const path of [this.#file, join(this.#folder, 'project', 'x')]) {
      if (path !== undefined) mkdirSync(dirname(path), { recursive: true });
    }
    if (this.#file !== undefined) copyFileSync(fixture, this.#file);
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #environment() {
    return { HOME: join(this.#folder, 'home'), PATH: process.env.PATH };
  }

  async take({ name, words, wanted }: (typeof TRIES)[number]): Promise<void> {
    const step = (outcome: string): void => void this.steps.push(`${name} ${outcome}`);
    if (this.#file === undefined) return step(await this.#takePrinted(name, words, wanted));
    const before = readFileSync(this.#file);
    const added = await this.#add(words);
    if (added.code === 2) return step(this.#refused(name, added, before));
    if (added.code !== 0) this.#miss(name, `exit ${added.code}: ${added.err}`);
    this.#checkFile(name);
    await this.#checkAgain(name, words);
    await this.#checkImport(name, this.#file, wanted);
    step('ok');
  }

  #miss(name: string, what: string): void {
    this.misses.push(`${this.#client.id}: ${name}: ${what.trim()}`);
  }

  #add(words: readonly string[]): Promise<Answer> {
    const at = words.indexOf('--');
    const own = at < 0 ? words : words.slice(0, at);
    const target = at < 0 ? [] : words.slice(at);
    const scope = this.#file === undefined ? ['--print'] : ['--scope', this.#scope];
    return this.#run(['client', 'add', this.#client.id, '--name', 'doorward', ...scope, ...own, ...target]);
  }

  /** A refusal is right where the table says that the client cannot be told this, and leaves the file alone. */
  #refused(name: string, { err }: Answer, before: Uint8Array): string {
    const { remote, secrets } = this.#client;
    const { fields, bearerName, envNames } = secrets;
    const isRemote = name === 'http' || name === 'secret';
    const isMute =
      (isRemote && !this.#clients.isRemoteShape(remote)) ||
      (name === 'secret' && !fields.includes('headers') && bearerName === undefined) ||
      (name === 'variable' && !fields.includes('env') && envNames === undefined);
    if (!isMute) this.#miss(name, `refused: ${err}`);
    if (!/^hint: {2}\S/m.test(err)) this.#miss(name, 'a refusal without a hint');
    if (this.#file && !readFileSync(this.#file).equals(before)) this.#miss(name, 'a refusal changed the file');
    return 'refused with a hint';
  }

  /** Everything that was there is there still, line for line; a comma may have come to a line. */
  #checkFile(name: string): void {
    const bytes = readFileSync(this.#file!);
    const now = bytes.toString('utf8');
    const lines = now.split('\n');
    let at = 0;
    for (const line of this.#original.split('\n')) {
      const found = lines.findIndex((other, index) => index >= at && isSameLine(line, other));
      if (found < 0) this.#miss(name, `this line is gone: ${JSON.stringify(line)}`);
      at = Math.max(at, found + 1);
    }
    const hasCr = this.#original.includes('\r\n');
    if (hasCr && /[^\r]\n/.test(now)) this.#miss(name, 'a line break without its CR');
    if (!hasCr && now.includes('\r')) this.#miss(name, 'a CR that was not there');
    if (now.startsWith('\ufeff') !== this.#original.startsWith('\ufeff')) this.#miss(name, 'the byte order mark');
  }

  async #checkAgain(name: string, words: readonly string[]): Promise<void> {
    const before = readFileSync(this.#file!);
    const backups = readdirSync(dirname(this.#file!)).length;
    const again = await this.#add(words);
    if (again.code !== 0 || !readFileSync(this.#file!).equals(before)) this.#miss(name, 'twice is not once');
    if (readdirSync(dirname(this.#file!)).length !== backups) this.#miss(name, 'a backup of nothing');
  }

  async #checkImport(name: string, file: string, wanted: object): Promise<void> {
    const { code, out, err } = await this.#run(['import', file, '--from', this.#client.id, '--json']);
    if (code !== 0) this.#miss(name, `import: exit ${code}: ${err}${out}`);
    const { mcpServers, losses } = JSON.parse(out);
    const { callTimeoutMs: _, ...entry } = mcpServers?.doorward ?? {};
    const expected = JSON.parse(JSON.stringify(wanted).replace('VERSION', this.#version));
    if (!this.#clients.isEqual(entry, expected)) this.#miss(name, `came back as ${JSON.stringify(entry)}`);
    const own = losses.filter(({ server }: { server: string }) => server === 'doorward');
    if (own.length > 0) this.#miss(name, `lost ${JSON.stringify(own)}`);
    const kept = Object.keys(this.#importedBefore());
    if (!kept.every((server) => Object.hasOwn(mcpServers, server))) this.#miss(name, 'a neighbour is gone');
  }

  #importedBefore(): Readonly<Record<string, unknown>> {
    const bytes = new TextEncoder().encode(this.#original);
    const { servers } = this.#clients.importFile({ name: 'fixture', bytes, client: this.#client });
    return Object.fromEntries(servers.map(({ name, entry }) => [name, entry]));
  }

  /** A client without a file is shown the block; the block is what is read back. */
  async #takePrinted(name: string, words: readonly string[], wanted: object): Promise<string> {
    const printed = await this.#add(words);
    if (printed.code === 2) return this.#refused(name, printed, new Uint8Array());
    const bytes = new TextEncoder().encode(printed.out);
    const { servers } = this.#clients.importFile({ name: 'block', bytes, client: this.#client });
    const { value } = this.#clients.doorwardEntry(servers[0]!.entry, { server: 'doorward', literalSecrets: false });
    const expected = JSON.parse(JSON.stringify(wanted).replace('VERSION', this.#version));
    if (!this.#clients.isEqual(value, expected)) this.#miss(name, `came back as ${JSON.stringify(value)}`);
    return 'ok, printed';
  }

  async #run(words: readonly string[]): Promise<Answer> {
    const written = { out: '', err: '' };
    const environment = this.#environment;
    const screen = (name: 'out' | 'err') => screenOf({ write: (text) => (written[name] += String(text)) }, environment);
    const code = await run(words, {
      environment,
      cwd: join(this.#folder, 'project'),
      out: screen('out'),
      err: screen('err'),
      signal: new CallSignal(),
      readStdin: async () => new Uint8Array(),
      createGateway: () => Promise.reject(new Error('no command about clients needs a gateway')),
    });
    return { code, ...written };
  }
}

/** The fixture of a client: `<id>.json`, `.jsonc`, `.toml` or `.yaml`. */
function fixtureOf({ id }: Client): string {
  const name = readdirSync(FIXTURES).find((file) => file.slice(0, -extname(file).length) === id);
  if (name === undefined) throw new Error(`test/fixtures/clients has no file for ${id}`);
  return join(FIXTURES, name);
}

/** A member that is no longer the last one gets a comma; an empty object gets members. */
function isSameLine(line: string, other: string): boolean {
  if (line === other) return true;
  const bare = (text: string): string => text.replace(/,(?=\s*(\/\/|\/\*|$))/, '');
  return bare(line) === bare(other) || (line.includes('{}') && other === `${line.slice(0, line.indexOf('{}') + 1)}`);
}
