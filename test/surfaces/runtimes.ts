/** The example, running: on Node as a process, and as a Worker. Both are told the same of where they are. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { findWorkerd, startWorker } from '../fixtures/workerd.js';

const EXAMPLE = resolve(import.meta.dirname, '..', '..', 'examples', 'repo-tools');
const START_MS = 20_000;

/** What both know of themselves. */
export const FACTS = {
  PUBLIC_URL: 'https://repo-tools.example/mcp',
  REGISTRY_AUTH: 'v=MCPv1; k=ed25519; p=AAAA',
} as const;

export interface Runtime {
  readonly name: 'node' | 'workerd';
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  stop(): Promise<void>;
}

/** @throws where one of them does not start */
export async function startBoth(): Promise<readonly [Runtime, Runtime]> {
  if (findWorkerd() === undefined) throw new Error('there is no workerd for this platform');
  const node = await startNode();
  try {
    const worker = await startWorker({
      module: join(EXAMPLE, 'dist', 'worker.js'),
      bindings: { ...FACTS },
    });
    return [node, { name: 'workerd', origin: worker.origin, stop: worker.stop }];
  } catch (thrown) {
    await node.stop();
    throw thrown;
  }
}

async function startNode(): Promise<Runtime> {
  const child = spawn(process.execPath, [join(EXAMPLE, 'dist', 'server.js')], {
    env: { ...process.env, ...FACTS, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolveGone) => child.once('exit', resolveGone));
    child.kill('SIGKILL');
    await gone;
  };
  try {
    return { name: 'node', origin: await originOf(child), stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

function originOf(child: ChildProcess): Promise<string> {
  return new Promise((settle, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`the server does not listen\n${said}`)), START_MS);
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
      const origin = /listening on (http:\/\/[^/]+)\//.exec(said)?.[1];
      if (origin === undefined) return;
      clearTimeout(timer);
      settle(origin);
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}\n${said}`));
    });
  });
}
