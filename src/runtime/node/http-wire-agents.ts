import type { Agent, AgentOptions, ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { trustedContext } from './ca-certificates.js';
import { ConnectTimeout } from './http-wire-errors.js';
import { openTunnel, type TunnelOptions } from './proxy-tunnel.js';

export interface AgentsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly connectTimeoutMs: number;
}

/** Many requests may be under way to one server, each a stream of its own that stays open. */
const MAX_FREE_SOCKETS = 64;
/** Between the attempts at a host's several addresses. Node's own 250 ms gives up on slow networks. */
const ADDRESS_ATTEMPT_MS = 1_000;
/** Servers that do not say how long they keep an idle connection commonly do so for 5 s. */
const UNSAID_KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 60_000;
/** We let go of a connection this long before the server does. */
const KEEP_ALIVE_MARGIN_MS = 1_000;
/** A connection that lay idle longer may have been closed by now without our having heard of it. */
const FRESH_MS = 100;

/** The agents of one wire: connections kept between requests, and let go of before the server closes them. */
export class HttpAgents {
  readonly #options: AgentsOptions;
  readonly #agents = new Map<string, Agent>();
  readonly #idleSinceMs = new WeakMap<Duplex, number>();
  readonly #doubtful = new WeakSet<ClientRequest>();

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  /**
   * @param protocol of the connection's other end, `http:` or `https:`
   * @param tunnel the proxy that connections are led through
   * @throws where the certificates that the environment names cannot be read
   */
  agentFor(protocol: string, tunnel?: URL): Agent {
    const key = `${protocol} ${tunnel?.href ?? ''}`;
    let agent = this.#agents.get(key);
    if (agent === undefined) {
      agent = this.#make(protocol, tunnel);
      this.#agents.set(key, agent);
    }
    return agent;
  }

  /** Whether a request was given a connection that may be closed already: give the news of it time to be read. */
  isDoubtful(request: ClientRequest): boolean {
    return this.#doubtful.has(request);
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #make(protocol: string, tunnel: URL | undefined): Agent {
    const options: AgentOptions = { keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS };
    const agent = protocol === 'https:' ? this.#makeSecure(options) : this.#makePlain(options);
    agent.keepSocketAlive = (socket) => this.#keep(socket);
    const reuse = agent.reuseSocket.bind(agent);
    agent.reuseSocket = (socket, request) => {
      reuse(socket, request);
      const idleMs = performance.now() - (this.#idleSinceMs.get(socket) ?? 0);
      if (idleMs > FRESH_MS) this.#doubtful.add(request);
    };
    this.#boundConnecting(agent, tunnel);
    return agent;
  }

  #makePlain(options: AgentOptions): Agent {
    const { Agent } = process.getBuiltinModule('node:http');
    return new Agent({ ...options, ...attempts() });
  }

  #makeSecure(options: AgentOptions): Agent {
    const { Agent } = process.getBuiltinModule('node:https');
    const secureContext = trustedContext(this.#options.env);
    return new Agent({ ...options, ...attempts(), ...(secureContext !== undefined && { secureContext }) });
  }

  /** A connection is there in time, or the request fails: a server that swallows packets is no reason to wait a minute. */
  #boundConnecting(agent: Agent, tunnel: URL | undefined): void {
    const { connectTimeoutMs } = this.#options;
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
      if (tunnel !== undefined) {
        openTunnel(tunnel, options as TunnelOptions, connectTimeoutMs, (error, socket) => callback?.(error, socket!));
        return undefined;
      }
      const socket = connect(options, callback) as Socket;
      const timer = setTimeout(() => {
        socket.destroy(new ConnectTimeout(`${connectTimeoutMs} ms`));
      }, connectTimeoutMs);
      timer.unref();
      const done = (): void => clearTimeout(timer);
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', done);
      socket.once('close', done);
      return socket;
    };
  }

  /** @returns whether the connection is worth keeping */
  #keep(socket: Duplex): boolean {
    const kept = socket as Socket & { _httpMessage?: { res?: IncomingMessage } };
    const hint = /\btimeout=(\d+)/.exec(String(kept._httpMessage?.res?.headers['keep-alive'] ?? ''))?.[1];
    const saidMs = hint === undefined ? UNSAID_KEEP_ALIVE_MS : Number(hint) * 1_000 - KEEP_ALIVE_MARGIN_MS;
    if (saidMs <= 0) return false;
    kept.setKeepAlive(true, 1_000);
    // A connection that nothing is asked on keeps no process alive.
    kept.unref();
    const keepMs = Math.min(saidMs, MAX_KEEP_ALIVE_MS);
    if (kept.timeout !== keepMs) kept.setTimeout(keepMs);
    this.#idleSinceMs.set(socket, performance.now());
    return true;
  }
}

function attempts(): AgentOptions {
  // Known to net.connect, which gets an agent's options; Node's types say so only of newer versions.
  return { autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS } as AgentOptions;
}
