/** How the walk looks: a heading a step, `>` for what is sent, `<` for what came back, a mark for each promise. */
import pc from 'picocolors';

const WIDTH = 112;
let step = 0;
let kept = 0;
const broken = [];

export function title(text, ...lines) {
  print(`\n${pc.bold(text)}\n`);
  for (const line of lines) print(`   ${line}`);
}

export function heading(text, ...lines) {
  print(`\n${pc.bold(pc.cyan(`${++step}. ${text}`))}`);
  for (const line of lines) say(line);
}

export function say(line) {
  print(`   ${pc.dim(line)}`);
}

export function sent(text) {
  print(`   ${pc.blue('>')} ${cut(text)}`);
}

export function came(text) {
  print(`   ${pc.yellow('<')} ${cut(text)}`);
}

/** Marks a promise as kept or broken. The walk goes on either way, so that one look shows all. */
export function promise(holds, text, detail = '') {
  if (holds) {
    kept++;
    print(`   ${pc.green('✓')} ${text}`);
    return;
  }
  broken.push(text);
  print(`   ${pc.red('✗')} ${pc.bold(text)}`);
  if (detail) print(`     ${pc.red(cut(detail))}`);
}

/** @returns the exit code: 0 when every promise was kept */
export function summary(seconds) {
  const all = kept + broken.length;
  const color = broken.length === 0 ? pc.green : pc.red;
  print(`\n${color(pc.bold(`${kept} of ${all} promises kept`))} in ${seconds.toFixed(1)} s.`);
  for (const text of broken) print(pc.red(`   broken: ${text}`));
  return broken.length === 0 ? 0 : 1;
}

export function print(text) {
  process.stdout.write(`${text}\n`);
}

function cut(text) {
  const line = text.replaceAll('\n', ' ');
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}
