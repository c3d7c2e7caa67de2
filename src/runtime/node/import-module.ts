import Module from 'node:module';
import { pathToFileURL } from 'node:url';

type Import = (url: string) => Promise<Readonly<Record<string, unknown>>>;

/** What Node compiles a CommonJS file with; its types leave it out. */
interface Compiling {
  exports: unknown;
  _compile(source: string, path: string): void;
}

/**
 * Imports a module of somebody else's, as Node itself would: ES modules with top-level await included. The `import()` of
 * this package's command is bundled as `require()`, and what comes from the code cache has none; a function that Node's own
 * loader compiles has one.
 */
export function importModule(path: string): ReturnType<Import> {
  const compiling = new Module('doorward-import') as unknown as Compiling;
  compiling._compile('module.exports = (url) => import(url)', 'doorward-import.cjs');
  return (compiling.exports as Import)(pathToFileURL(path).href);
}
