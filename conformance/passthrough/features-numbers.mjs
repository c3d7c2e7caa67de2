/** Numbers that a double cannot hold: seen on the wire itself, since every SDK rounds them. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './expect.mjs';
import { NotOffered } from './session.mjs';

const STARTED_WITHIN_MS = 15_000;
const BIG = '12345678901234567890';

export const NUMBER_FEATURES = [
  {
    title: 'numbers past 2^53, to the server',
    needsNoSdk: true,
    observe: async ({ openRaw, offer }) => {
      const [tool, args] = offer.numbers;
      const raw = openRaw();
      await raw.start(tool);
      await raw.call(tool, args);
      const isUnchanged = raw.shown().some((line) => line.includes(`"arguments":${args}`));
      expect(args.includes(BIG) && isUnchanged, 'the arguments as they were written');
    },
  },
  {
    title: 'numbers past 2^53, from the server',
    needsNoSdk: true,
    lacks: 'no answer of it has any',
    observe: async ({ openRaw }) => {
      const raw = openRaw();
      await raw.start('get-number');
      const line = await raw.call('get-number', '{}');
      expect(line.includes(`"structuredContent":{"value":${BIG}}`), 'the number as it was written');
    },
  },
];

/** A client that reads and writes lines, and nothing else. */
export class RawClient {
  #lines = [];
  #nextId = 1;
  #introduced;

  /** @param {{ command: object, nameOf: (tool: string) => string, shown: () => string[] }} options */
  constructor({ command, nameOf, shown }) {
    this.nameOf = nameOf;
    this.shown = shown;
    this.child = spawn(command.command, command.args, {
      env: { ...process.env, ...command.env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.child.stdin.on('error', () => {});
    createInterface({ input: this.child.stdout }).on('line', (line) => this.#lines.push(line));
  }

  /** Introduces itself, once, and waits until the server lists the tool. */
  async start(tool) {
    this.#introduced ??= this.#introduce();
    await this.#introduced;
    const endsAt = performance.now() + STARTED_WITHIN_MS;
    for (;;) {
      const line = await this.#request('tools/list', '{}');
      const names = JSON.parse(line).result.tools.map(({ name }) => name);
      if (names.includes(this.nameOf(tool))) return;
      if (names.includes(this.nameOf('echo'))) throw new NotOffered(`lists no tool \`${tool}\``);
      if (performance.now() > endsAt) throw new Error('the server did not list its tools');
      await sleep(50);
    }
  }

  async #introduce() {
    const info = '"clientInfo":{"name":"raw","version":"1"}';
    await this.#request('initialize', `{"protocolVersion":"2025-11-25","capabilities":{},${info}}`);
    this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  call(tool, args) {
    return this.#request('tools/call', `{"name":${JSON.stringify(this.nameOf(tool))},"arguments":${args}}`);
  }

  /** @returns the line that answers */
  async #request(method, params) {
    const id = this.#nextId++;
    this.child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`);
    const endsAt = performance.now() + STARTED_WITHIN_MS;
    for (;;) {
      const line = this.#lines.find((candidate) => JSON.parse(candidate).id === id);
      if (line !== undefined) return line;
      if (performance.now() > endsAt) throw new Error(`no answer to ${method}`);
      await sleep(10);
    }
  }

  async close() {
    if (this.child.exitCode !== null) return;
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 3_000);
    await exited;
    clearTimeout(timer);
  }
}
