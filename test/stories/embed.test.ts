import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { HOSTILE, requireBuild } from '../fixtures/open-door.js';
import { ROOT, readText } from '../house/tree.js';

/** The README's example, as a user would paste it; its server is the fixture that has the tool it calls. */
function example(): string {
  const blocks = [...readText('README.md').matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code!);
  const code = blocks.find((block) => block.includes("from 'doorward';"));
  expect(code, 'the README embeds doorward in JavaScript').toBeDefined();
  return code!.replace("'my-server.mjs'", JSON.stringify(HOSTILE));
}

function run(code: string) {
  const options = { cwd: ROOT, encoding: 'utf8', timeout: 20_000 } as const;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', code], options);
}

test("the README's example of embedding runs, calls and ends", () => {
  requireBuild();
  const { status, stdout, stderr } = run(example());
  expect(stdout).toContain('"text":"booked"');
  expect(stderr).toContain('dangling_ref is left out: ');
  expect(status).toBe(0);
});

const catching = `process.on('uncaughtException', (error) => {
  console.log(error instanceof DoorError, error.code);
  process.exit(9);
});
const answer`;

test.each([
  { why: 'the client refuses', from: '"guests":2', to: '"guests":0', code: 'INVALID_ARGUMENTS' },
  {
    why: 'the transport fails',
    from: "command: 'node'",
    to: "command: 'no-such-program'",
    code: 'UPSTREAM_UNREACHABLE',
  },
])('what is thrown is of the one exported class, where $why', ({ from, to, code }) => {
  requireBuild();
  const failing = example()
    .replace(from, to)
    .replace('import { createGateway }', 'import { createGateway, DoorError }')
    .replace('const answer', catching);
  const { status, stdout } = run(failing);
  expect(stdout).toBe(`true ${code}\n`);
  expect(status).toBe(9);
});
