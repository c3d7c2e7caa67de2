import type { Contract } from '../contract/index.js';
import { type GeneratedFile, gitPath, textFile } from './generated-file.js';
import { isOnNpm, MANIFEST_PATH } from './manifest.js';
import { PUBLISHER, pinnedAction } from './pins.js';

export const WORKFLOW_PATH = '.github/workflows/publish-mcp-registry.yml';

/** What the author's package.json and its `doorward` field say that is of use here. */
export interface WorkflowFacts {
  /** The package's name: doorward publishes itself with what it has just built. */
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly settings?: WorkflowSettings;
}

export interface WorkflowSettings {
  readonly manifest?: string;
  readonly workflow?: string;
  readonly docs?: string;
  readonly clientDocs?: string;
  readonly openapi?: string;
  /** An npm script. */
  readonly build?: string;
}

/** The workflow on GitHub that publishes a contract's package on npm and its manifest in the MCP Registry. */
export function workflowFiles(contract: Contract, facts: WorkflowFacts = {}): readonly GeneratedFile[] {
  const { workflow = WORKFLOW_PATH } = facts.settings ?? {};
  return [textFile(workflow, workflowText(contract, facts))];
}

/** The files that the workflow relies on, in the order of its first step. */
export function watchedPaths({ settings = {} }: WorkflowFacts): readonly string[] {
  const { manifest = MANIFEST_PATH, workflow = WORKFLOW_PATH, docs, clientDocs, openapi } = settings;
  const named = ['package.json', 'package-lock.json', manifest, workflow, docs, clientDocs, openapi];
  return named.flatMap((path) => (path === undefined ? [] : [gitPath(path)]));
}

/** What differs from one author to the next. */
interface Plan {
  /** How doorward is started in a step. */
  readonly command: string;
  readonly watched: readonly string[];
  readonly buildScript: string | undefined;
  /** Whether doorward itself is there only after the build. */
  readonly buildsDoorward: boolean;
  readonly hasNpmPackage: boolean;
}

function workflowText(contract: Contract, facts: WorkflowFacts): string {
  const { name, scripts = {}, settings = {} } = facts;
  const buildsDoorward = name === 'doorward';
  const plan: Plan = {
    command: buildsDoorward ? 'node dist/cli.cjs' : 'npx --no-install doorward',
    watched: watchedPaths(facts),
    buildScript: settings.build ?? (scripts.build === undefined ? undefined : 'build'),
    buildsDoorward,
    hasNpmPackage: contract.packages.some(isOnNpm),
  };
  const jobs = [
    checkJob(plan),
    ...(plan.hasNpmPackage ? [npmJob(plan)] : []),
    registryJob(plan),
    dryRunJob(plan),
    rehearsalJob(plan),
  ];
  return `${head(plan)}\njobs:\n${jobs.join('\n')}`;
}

function head({ watched, hasNpmPackage }: Plan): string {
  const registryOnly = `
      registry_only:
        description: Only the manifest; npm has this version already
        type: boolean
        default: false`;
  return `# Written by doorward workflow; what is changed here is lost, and doorward validate fails until then.
# It needs: an environment "release" with you as its reviewer${hasNpmPackage ? ', and on npm this file and that environment as trusted publisher' : ''}.
name: Publish to the MCP Registry

on:
  workflow_dispatch:
    inputs:
      dry_run:
        description: Check all of it, publish nothing
        type: boolean
        default: false${hasNpmPackage ? registryOnly : ''}
  schedule:
    # The rehearsal: a publisher that the Registry takes no more is found before the day of a release.
    - cron: "17 5 * * 1"

permissions: {}

# One release waits for another; none is cut off half way.
concurrency:
  group: publish-mcp-registry-\${{ github.event_name }}
  cancel-in-progress: false

defaults:
  run:
    shell: bash

env:
  WATCHED_PATHS: |
${watched.map((path) => `    ${path}\n`).join('')}  MCP_PUBLISHER_VERSION: "${PUBLISHER.version}"
  MCP_PUBLISHER_URL: ${PUBLISHER.url}
  MCP_PUBLISHER_SHA256: ${PUBLISHER.sha256}
`;
}

const CHECKOUT = `      - uses: ${pinnedAction('actions/checkout')}
        with:
          persist-credentials: false
`;

/** Plain shell: it works before anything is installed. Jobs that need one which had it are of the same commit. */
const GUARD = `      - name: Guard
        run: |
          missing=0
          if [ "$GITHUB_REF" != refs/heads/main ]; then
            echo "::error::publishing is done from main, and this run is of $GITHUB_REF: start it on main"
            missing=1
          fi
          while IFS= read -r path; do
            if [ -n "$path" ] && [ -z "$(git ls-files -- ":(top,glob)$path")" ]; then
              echo "::error::$path is not in the repository, and this workflow relies on it: bring it back, or run doorward workflow"
              missing=1
            fi
          done <<< "$WATCHED_PATHS"
          exit "$missing"
`;

const NODE = `      - uses: ${pinnedAction('actions/setup-node')}
        with:
          node-version: "24"
          package-manager-cache: false
`;

function buildSteps({ buildScript }: Plan): string {
  return `      - run: npm ci\n${buildScript === undefined ? '' : `      - run: npm run ${buildScript}\n`}`;
}

/** For jobs that may speak for the repository: no script of a dependency runs in them. */
function toolSteps({ buildScript, buildsDoorward }: Plan): string {
  const build = buildsDoorward && buildScript !== undefined ? `      - run: npm run ${buildScript}\n` : '';
  return `      - run: npm ci --ignore-scripts\n${build}`;
}

function checkJob(plan: Plan): string {
  return `  check:
    runs-on: ubuntu-24.04
    timeout-minutes: 20
    permissions:
      contents: read
    steps:
${CHECKOUT}${GUARD}${NODE}${buildSteps(plan)}      - name: Validate
        run: ${plan.command} validate
`;
}

function npmJob(plan: Plan): string {
  return `  # Can be run again: a version that is on npm with the same content is passed over.
  npm:
    needs: check
    if: \${{ github.event_name == 'workflow_dispatch' && !inputs.dry_run && !inputs.registry_only }}
    runs-on: ubuntu-24.04
    timeout-minutes: 20
    environment: release
    permissions:
      contents: read
      id-token: write # npm's trusted publishing, and provenance
    steps:
${CHECKOUT}${NODE}${buildSteps(plan)}      - name: Publish on npm
        run: ${plan.command} release npm
`;
}

function registryJob(plan: Plan): string {
  const { command, hasNpmPackage } = plan;
  const isWanted = `github.event_name == 'workflow_dispatch' && !inputs.dry_run`;
  const npmIsDone = `(needs.npm.result == 'success' || (inputs.registry_only && needs.npm.result == 'skipped'))`;
  const condition = hasNpmPackage
    ? `!cancelled() && ${isWanted} && needs.check.result == 'success' && ${npmIsDone}`
    : isWanted;
  const wait = `      - name: Wait for npm
        run: ${command} release wait-npm
`;
  return `  registry:
    needs: ${hasNpmPackage ? '[check, npm]' : 'check'}
    if: \${{ ${condition} }}
    runs-on: ubuntu-24.04
    timeout-minutes: 40
    environment: release
    permissions:
      contents: read
      id-token: write # the Registry's login
    steps:
${CHECKOUT}${NODE}${toolSteps(plan)}${hasNpmPackage ? wait : ''}${fetchStep(plan)}      - name: Publish in the Registry
        run: ${command} release publish-registry --publisher "$RUNNER_TEMP/mcp-publisher"
      - name: Read back
        run: ${command} release read-back
`;
}

function dryRunJob(plan: Plan): string {
  return `  # Has no permission to publish anything.
  dry-run:
    needs: check
    if: \${{ github.event_name == 'workflow_dispatch' && inputs.dry_run }}
    runs-on: ubuntu-24.04
    timeout-minutes: 20
    permissions:
      contents: read
    steps:
${CHECKOUT}${NODE}${toolSteps(plan)}${fetchStep(plan)}      - name: Validate by the Registry
        run: ${plan.command} release dry-run --publisher "$RUNNER_TEMP/mcp-publisher"
`;
}

function rehearsalJob(plan: Plan): string {
  return `  # Logs in as on the day of a release, and publishes nothing. Waits for nothing, and nothing waits for it.
  rehearsal:
    if: \${{ github.event_name == 'schedule' }}
    runs-on: ubuntu-24.04
    timeout-minutes: 20
    permissions:
      contents: read
      id-token: write # the Registry's login
    steps:
${CHECKOUT}${GUARD}${NODE}${toolSteps(plan)}${fetchStep(plan)}      - name: Validate and log in
        run: ${plan.command} release rehearse --publisher "$RUNNER_TEMP/mcp-publisher"
`;
}

function fetchStep({ command }: Plan): string {
  return `      - name: Fetch the publisher
        run: ${command} release fetch-publisher --publisher "$RUNNER_TEMP/mcp-publisher"
`;
}
