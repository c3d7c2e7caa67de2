/** What a hostile upstream writes with: its stdout, its stderr, and the journal of both sides. */
import { openSync, writeSync } from 'node:fs';

/** Messages stand in the journal up to this length. */
const MAX_SHOWN = 200;

export class Wire {
  #journalFd;
  #name;
  #hasExited = false;
  /** A message that is written byte by byte is whole before the next one starts. */
  #isTaken = false;
  #turn = Promise.resolve();
  #held = [];

  constructor(name, journalPath) {
    this.#name = name;
    this.#journalFd = journalPath === undefined ? undefined : openSync(journalPath, 'a');
    process.once('exit', (code) => this.#noteExit({ code }));
  }

  journal(entry) {
    if (this.#journalFd === undefined) return;
    const atMs = Number(process.hrtime.bigint()) / 1e6;
    writeSync(this.#journalFd, `${JSON.stringify({ atMs, pid: process.pid, name: this.#name, ...entry })}\n`);
  }

  /** A message as it should be; `isShown: false` for one of thousands. */
  send(message, { isShown = true } = {}) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.sendRaw(`${text}\n`, { isShown });
  }

  sendRaw(data, { isShown = true } = {}) {
    const text = data.toString('latin1').slice(0, MAX_SHOWN).trimEnd();
    if (isShown) this.journal({ event: 'sent', text, bytes: data.length });
    this.write(data);
  }

  async sendByByte(text) {
    const bytes = Buffer.from(`${text}\n`);
    this.journal({ event: 'sent', text: text.slice(0, MAX_SHOWN), bytes: bytes.length });
    const before = this.#turn;
    let end = () => {};
    this.#turn = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    this.#isTaken = true;
    for (const byte of bytes) {
      writeSync(1, Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isTaken = false;
    for (const data of this.#held.splice(0)) this.write(data);
    end();
  }

  /** Writes at once and in order, waiting where the reader does not keep up. @returns false where nobody reads any more */
  write(data) {
    if (this.#isTaken) return this.#held.push(data) > 0;
    try {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      for (let done = 0; done < bytes.length; ) done += writeSync(1, bytes, done);
      return true;
    } catch {
      return false;
    }
  }

  writeStderr(bytes) {
    const line = `${'e'.repeat(79)}\n`;
    return new Promise((resolve) => process.stderr.write(line.repeat(Math.ceil(bytes / line.length)), resolve));
  }

  exit(code) {
    this.#noteExit({ code });
    process.exit(code);
  }

  kill() {
    this.#noteExit({ signal: 'SIGKILL' });
    process.kill(process.pid, 'SIGKILL');
  }

  /** Written before the deed: afterwards there is nobody to write it. */
  #noteExit(how) {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.journal({ event: 'exit', ...how });
  }
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
