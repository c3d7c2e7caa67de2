/** The smallest MCP client there can be: JSON lines over the pipes of one child process, kept as text. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const ANSWER_MS = 10_000;

export class Caller {
  stderr = '';
  /** Says what this client's user answers to a question: given its params, returns a result. */
  answer = () => ({ action: 'decline' });
  #child;
  #waiting = new Map();
  #ended;
  #nextId = 1;

  constructor(command, args, options) {
    this.#child = spawn(command, args, { ...options, stdio: 'pipe' });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.on('data', (chunk) => (this.stderr += chunk));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(line));
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', resolve);
    });
  }

  get pid() {
    return this.#child.pid;
  }

  async initialize() {
    const clientInfo = { name: 'doorward-demo', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo };
    const answer = await this.request('initialize', JSON.stringify(params));
    this.#write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return answer;
  }

  /** @returns {Promise<{ raw: string, result?: any, error?: any }>} the answer, also as the text it was */
  call(name, argumentsJson = '{}') {
    return this.request('tools/call', `{"name":${JSON.stringify(name)},"arguments":${argumentsJson}}`);
  }

  request(method, paramsJson) {
    const id = this.#nextId++;
    const params = paramsJson === undefined ? '' : `,"params":${paramsJson}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`no answer to ${method} in ${ANSWER_MS} ms\n${this.stderr}`)),
        ANSWER_MS,
      );
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#write(`{"jsonrpc":"2.0","id":${id},"method":"${method}"${params}}`);
    });
  }

  /** Closes the input, as a client that goes away does. @returns the exit code */
  async close() {
    this.#child.stdin.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 8000);
    const code = await this.#ended;
    clearTimeout(late);
    return code;
  }

  /** For a walk that broke off: nothing may stay, whatever went wrong. */
  kill() {
    this.#child.kill('SIGTERM');
  }

  #write(line) {
    this.#child.stdin.write(`${line}\n`);
  }

  #take(raw) {
    const message = JSON.parse(raw);
    if (message.method === 'elicitation/create') {
      const result = this.answer(message.params);
      this.#write(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      return;
    }
    const resolve = this.#waiting.get(message.id);
    if (message.method !== undefined || resolve === undefined) return;
    this.#waiting.delete(message.id);
    resolve({ ...message, raw });
  }
}
