import { DoorError, shellWord } from '../base/index.js';
import { readDuration } from './duration.js';
import type { Run } from './parse-command-line.js';
import { isUrl } from './remote-operand.js';

const MAY_HAVE_HAPPENED = 'The call was sent and may have had its effect: look before you repeat it.';
const ONLY_TO_THE_ASKABLE =
  'A server may offer a tool only to clients that can be asked (elicitation, sampling, roots); this command cannot be.';

/**
 * A command to type next, about the same servers: it names the configuration or the program that this one named.
 *
 * @param server left out where the program after `--` is the only one
 */
export function nextCommand({ options, target }: Run, verb: string, server?: string, ...flags: string[]): string {
  const config = options.get('config');
  const words = [
    ...(server === undefined || target ? [] : [server]),
    ...flags,
    ...(typeof config === 'string' ? ['--config', config] : []),
    ...(target ? ['--', ...target] : []),
  ];
  return ['doorward', verb, ...words.map(shellWord)].join(' ');
}

/**
 * The same failure with a hint for whoever sits at a command line: the rooms below know neither its flags nor that a
 * person is about to type the same again.
 */
export function atCommandLine(error: DoorError, run: Run): DoorError {
  const { code, message, data } = error;
  const hint = [ownHint(error, run), data.outcome === 'unknown' ? MAY_HAVE_HAPPENED : undefined]
    .filter((part) => part !== undefined)
    .join(' ');
  return hint === (error.hint ?? '') ? error : new DoorError(code, message, { data, hint, cause: error });
}

function ownHint(error: DoorError, run: Run): string | undefined {
  const { code, hint, data } = error;
  const server = String(data.upstream ?? data.server);
  switch (code) {
    case 'TIMEOUT':
      return hasFlagRunOut(error, run)
        ? hint?.replace(/(start|call)TimeoutMs for this server if it/, '--timeout if the server')
        : hint;
    case 'INVALID_ARGUMENTS':
      return hint
        ?.replace(' as the issues say', '')
        .concat(` \`${nextCommand(run, 'tools', server, '--schema')}\` shows what it takes.`);
    case 'TOOL_EXCLUDED':
      return hint?.replace('`doorward check`', `\`${nextCommand(run, 'check', server)}\``);
    case 'TOOL_UNKNOWN':
      if (!hint?.startsWith('List the tools')) return hint;
      return `List its tools: \`${nextCommand(run, 'tools', server)}\`. ${ONLY_TO_THE_ASKABLE}`;
    case 'AUTH_REQUIRED':
    case 'FORBIDDEN':
      // A remote is named by its URL, and in no configuration.
      if (isUrl(server)) return hint;
      return hint?.replace(/doorward login [^`]+/, () => nextCommand(run, 'login', server));
    default:
      return hint;
  }
}

const DEFAULT_TIMEOUT = '60s';

/** Whether it was `--timeout` that ended the wait, or its default where there is no configuration to hold another. */
function hasFlagRunOut({ message }: DoorError, { options, target }: Run): boolean {
  const text = options.get('timeout') ?? (target && DEFAULT_TIMEOUT);
  return typeof text === 'string' && message.includes(` ${readDuration(text, '--timeout')} ms`);
}
