import { oneLine, type Screen } from './screen.js';

/** A line longer than this is shown in pieces: a server may write without end. */
const MAX_LINE = 8_192;

/** Shows what servers write to stderr, line by line, each under its server's name. */
export function stderrLines(err: Screen): (server: string, chunk: Uint8Array) => void {
  const servers = new Map<string, ReturnType<typeof newState>>();
  return (server, chunk) => {
    const state = servers.get(server) ?? newState();
    servers.set(server, state);
    const lines = (state.rest + state.decoder.decode(chunk, { stream: true })).split('\n');
    const rest = lines.pop() ?? '';
    state.rest = rest.length > MAX_LINE ? '' : rest;
    if (rest.length > MAX_LINE) lines.push(rest);
    for (const line of lines) err.write(`${err.colors.dim(`${oneLine(server)} |`)} ${oneLine(line)}\n`);
  };
}

function newState() {
  return { decoder: new TextDecoder(), rest: '' };
}
