import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { DoorError } from '../../base/index.js';
import type { Release } from './release.js';
import { type Finished, runProgram } from './run-program.js';
import type { World } from './world.js';

/** The Registry's publisher at work on one manifest. Its token lies in a folder of its own, and ends with it. */
export class Publisher {
  readonly #release: Release;
  readonly #world: World;
  readonly #home = mkdtempSync(join(tmpdir(), 'doorward-publisher-'));

  constructor(release: Release, world: World) {
    this.#release = release;
    this.#world = world;
  }

  /**
   * @returns whether the schema of the manifest is still the Registry's newest
   * @throws {DoorError} CONTRACT_INVALID where the publisher, or the Registry it asks, refuses the manifest
   */
  async validate(): Promise<{ readonly isCurrent: boolean }> {
    const { code, output } = await this.#run(['validate', this.#release.manifestPath]);
    if (code === 0) return { isCurrent: !/deprecated schema/i.test(output) };
    throw new DoorError('CONTRACT_INVALID', 'the manifest is refused by mcp-publisher validate', {
      hint: 'What it says is above. Mend the contract, and run doorward manifest.',
    });
  }

  /** @throws {DoorError} AUTH_REQUIRED; the hint says whether it is the pin, the permission or the name */
  async logIn(): Promise<void> {
    const { loginMethod, registry } = this.#world;
    const { code, output } = await this.#run(['login', loginMethod, '--registry', registry]);
    if (code === 0) return;
    throw new DoorError('AUTH_REQUIRED', `the login to the Registry failed${reasonIn(output)}`, {
      hint: loginHint(output, this.#world),
    });
  }

  publish(): Promise<Finished> {
    return this.#run(['publish', this.#release.manifestPath]);
  }

  close(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  #run(args: readonly string[]): Promise<Finished> {
    const { publisher } = this.#world;
    const isPath = isAbsolute(publisher) || /[\\/]/.test(publisher);
    const command = isPath ? resolve(this.#release.folder, publisher) : publisher;
    const env = { HOME: this.#home, XDG_CONFIG_HOME: join(this.#home, '.config') };
    return runProgram({ command, args, cwd: this.#release.folder, env }, this.#world);
  }
}

const AUDIENCE = /invalid audience/i;

function reasonIn(output: string): string {
  if (AUDIENCE.test(output)) return ': invalid audience';
  if (/expired/i.test(output)) return ': the token has expired';
  return '';
}

/** A pinned publisher gets old by itself: the Registry changes what it wants, and the pin does not. */
function loginHint(output: string, { pin, loginMethod }: World): string {
  if (AUDIENCE.test(output)) {
    return `mcp-publisher ${pin.version} is too old for the Registry: bump the pin. Update doorward and run doorward workflow, or set MCP_PUBLISHER_VERSION, MCP_PUBLISHER_URL and MCP_PUBLISHER_SHA256.`;
  }
  if (loginMethod === 'github-oidc' && /ACTIONS_ID_TOKEN_REQUEST|id-token/i.test(output)) {
    return 'Give the job the permission id-token: write.';
  }
  return 'What it says is above; where it worked before, bump the pin of mcp-publisher first.';
}
