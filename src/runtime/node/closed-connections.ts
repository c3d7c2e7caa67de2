import type { Socket } from 'node:net';

/** Who waits for the end of each connection. One listener on each: Node warns of more than ten, and takes them for a leak. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Waits for the end of a connection.
 *
 * @returns what ends the waiting
 */
export function whenClosed(socket: Socket, listener: () => void): () => void {
  const known = waiting.get(socket);
  const listeners = known ?? new Set<() => void>();
  listeners.add(listener);
  if (known === undefined) {
    waiting.set(socket, listeners);
    socket.once('close', () => {
      for (const each of [...listeners]) each();
    });
  }
  return () => listeners.delete(listener);
}
