import { LogStream } from '../runtime/node/index.js';
import type { Screen } from './screen.js';

/**
 * The same screen for what is told along the way, without end: where nobody reads it, lines are dropped rather than pile
 * up. What a command was started to say is written to the screen itself.
 */
export function logScreen(screen: Screen, format: 'text' | 'json'): Screen {
  if (screen.stream === undefined) return screen;
  const log = new LogStream(screen.stream, format);
  return { ...screen, write: (line) => log.write(line) };
}
