// @ts-check
import { spawn } from 'node:child_process';
import { onCore } from './machine.mjs';

const TAIL_CHARACTERS = 4000;
const STARTS_WITHIN_MS = 20_000;

/** A process that prints where it serves. */
export class Served {
  /** @param {readonly string[]} argv @param {{ env: NodeJS.ProcessEnv, core?: 'middle' | 'load' | undefined }} options */
  constructor(argv, { env, core }) {
    const [command = '', ...args] = core ? onCore(core, argv) : argv;
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
    this.pid = /** @type {number} */ (this.process.pid);
    this.said = '';
    this.exited = new Promise((resolve) => this.process.once('exit', resolve));
    /** @type {Promise<URL>} */
    this.url = new Promise((resolve, reject) => {
      const look = (/** @type {Buffer} */ chunk) => {
        this.said = (this.said + chunk).slice(-TAIL_CHARACTERS);
        const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(this.said)?.[0];
        if (found) resolve(new URL(found));
      };
      this.process.stdout.on('data', look);
      this.process.stderr.on('data', look);
      void this.exited.then(() => reject(new Error(`${argv.join(' ')} ended: ${this.said}`)));
      setTimeout(() => reject(new Error(`${argv.join(' ')} names no address: ${this.said}`)), STARTS_WITHIN_MS).unref();
    });
    this.url.catch(() => {});
  }

  /** Ends stdin and asks for the end, and kills what does not end by itself. */
  async close() {
    this.process.stdin.end();
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), 5000);
    await this.exited;
    clearTimeout(timer);
  }
}
