import type { generateCode } from './code.js';

type Generate = typeof generateCode;

/** A judge interprets its first checks: code for a tool that is called once or twice would cost more than it saves. */
const WARM_AFTER_CHECKS = 8;

type EngineState =
  | { readonly kind: 'cold' }
  | { readonly kind: 'loading'; readonly loaded: Promise<boolean> }
  | { readonly kind: 'ready'; readonly generate: Generate; readonly warmAfterChecks: number }
  | { readonly kind: 'forbidden' };

let state: EngineState = { kind: 'cold' };

/**
 * Loads the code generator now, so that judges have code generated at their first check; otherwise that happens in the
 * background once some judge has become warm. Verdicts are the same either way.
 *
 * @returns false where the platform forbids code generation; judges then interpret
 */
export async function prepareEngine(): Promise<boolean> {
  if (state.kind === 'cold') load();
  if (state.kind === 'loading') await state.loaded;
  if (state.kind === 'ready') state = { ...state, warmAfterChecks: 0 };
  return state.kind === 'ready';
}

/**
 * From now on judges interpret, and nothing is tried. For platforms that forbid code generation, some of them only once a
 * request is there, so that trying at start would mislead.
 */
export function forbidCodeGeneration(): void {
  state = { kind: 'forbidden' };
}

/** Finds the engine for a judge that has done so many checks; the first warm one has it loaded. */
export function findEngine(checks: number): Generate | undefined {
  if (state.kind === 'ready') return checks >= state.warmAfterChecks ? state.generate : undefined;
  if (state.kind === 'cold' && checks >= WARM_AFTER_CHECKS) load();
  return undefined;
}

function load(): void {
  if (!mayGenerateCode()) {
    state = { kind: 'forbidden' };
    return;
  }
  const loaded = import('./code.js').then(
    ({ generateCode }) => {
      if (state.kind === 'forbidden') return false;
      state = { kind: 'ready', generate: generateCode, warmAfterChecks: WARM_AFTER_CHECKS };
      return true;
    },
    () => {
      // Without it judges go on as they began; a broken installation must not break a call.
      state = { kind: 'forbidden' };
      return false;
    },
  );
  state = { kind: 'loading', loaded };
}

function mayGenerateCode(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}
