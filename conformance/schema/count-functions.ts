let made = 0;

// Code can be made from text by `Function` alone here: no engine uses eval.
globalThis.Function = new Proxy(Function, {
  construct(target, args, newTarget) {
    made += 1;
    return Reflect.construct(target, args, newTarget);
  },
  apply(target, self, args) {
    made += 1;
    return Reflect.apply(target, self, args);
  },
});

/** How many functions were made from text since this module was loaded: whether a run was compiled is measured, not believed. */
export function functionsMade(): number {
  return made;
}
