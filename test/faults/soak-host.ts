/**
 * The process under test in the soak: one gateway, and a door on a Unix socket for each caller that connects.
 *
 *   soak-host.ts SOCKET MOUNTS     MOUNTS is JSON: [{ id, args, env, callTimeoutMs }]
 *
 * Says `{"pid":...}` once it listens, and answers each line on stdin: `sample` with its memory after a collection; `count`
 * with how many objects of a kind are still held. SIGTERM ends it, upstreams and all.
 */
import { Session } from 'node:inspector/promises';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { queryObjects } from 'node:v8';
import { Connection } from '../../src/client/connection.js';
import { StreamDoor } from '../../src/doors/index.js';
import { createGateway, type Mount } from '../../src/gateway/index.js';
import { spawnTransport } from '../../src/runtime/node/index.js';
import { Sink } from '../../src/runtime/node/sink.js';

export interface HostMount {
  readonly id: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly callTimeoutMs: number;
}

export interface HostSample {
  readonly rssMb: number;
  readonly heapMb: number;
  /** Memory of buffers, which is not on the heap. */
  readonly buffersMb: number;
  readonly timers: number;
}

// With --enable-source-maps the first look at a stack reads the map of this whole bundle: 8 MB that are not the gateway's.
void new Error('once').stack;

export interface HostCount {
  /** One for each caller. */
  readonly doors: number;
  /** One for each upstream process. */
  readonly connections: number;
}

const [path = '', mountsText = '[]'] = process.argv.slice(2);
const gateway = createGateway({
  mounts: (JSON.parse(mountsText) as HostMount[]).map(
    ({ args, env, ...mount }): Mount => ({
      ...mount,
      connect: () => spawnTransport({ command: process.execPath, args, env }),
    }),
  ),
  info: { name: 'soak', version: '1' },
});
const sockets = new Set<Socket>();
const inspector = new Session();
inspector.connect();

function serve(socket: Socket): void {
  sockets.add(socket);
  const sink = new Sink(socket);
  const door = new StreamDoor({
    limits: gateway.limits,
    principal: { id: `local:${process.getuid?.() ?? 'user'}`, kind: 'local' },
    door: 'socket',
    info: { name: 'doorward', version: '1' },
    write: (pieces) => sink.write(pieces),
    whenWritable: () => sink.whenWritable(),
    broken: () => socket.destroy(),
  });
  socket.on('data', (chunk: Buffer) => door.push(chunk));
  // A caller that vanished makes writing fail; its end is told by `close`.
  socket.on('error', () => {});
  socket.once('end', () => door.end());
  socket.once('close', () => {
    sockets.delete(socket);
    door.close();
  });
  door.attach(gateway);
}

const server = createServer(serve);
server.listen(path, () => process.stdout.write(`${JSON.stringify({ pid: process.pid })}\n`));
const control = createInterface({ input: process.stdin });
control.on('line', (line) => {
  const answer: Promise<HostSample | HostCount> = line === 'count' ? Promise.resolve(count()) : sample();
  void answer.then((facts) => process.stdout.write(`${JSON.stringify(facts)}\n`));
});

/**
 * The inspector's collection, unlike `gc()`, also gives back what the heap keeps for new objects. That doubles now and
 * then, by 4 to 8 MB at once, and would be taken for a leak.
 */
async function sample(): Promise<HostSample> {
  await inspector.post('HeapProfiler.collectGarbage');
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const mb = (bytes: number): number => bytes / 2 ** 20;
  return { rssMb: mb(rss), heapMb: mb(heapUsed), buffersMb: mb(arrayBuffers), timers };
}

/** What is reachable; without the prototypes, which count themselves. */
function count(): HostCount {
  const held = (kind: typeof StreamDoor | typeof Connection): number => queryObjects(kind, { format: 'count' });
  return { doors: held(StreamDoor), connections: held(Connection) };
}

async function end(): Promise<void> {
  server.close();
  control.close();
  for (const socket of sockets) socket.destroy();
  await gateway.close();
  process.exit(0);
}
process.once('SIGTERM', () => void end());
