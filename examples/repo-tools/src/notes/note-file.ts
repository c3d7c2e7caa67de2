import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { ToolError } from 'doorward/contract';

export interface Note {
  readonly id: string;
  readonly text: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

const MAX_NOTES = 1_000;

/**
 * Where notes lie: in XDG_DATA_HOME, which by its specification counts only where it is absolute.
 *
 * @param env of the process
 */
export function noteFileIn(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.XDG_DATA_HOME;
  const data = home !== undefined && isAbsolute(home) ? home : join(homedir(), '.local', 'share');
  return join(data, 'repo-tools', 'notes.jsonl');
}

/**
 * Notes in a file of lines: one that is added, or the id of one that was removed. Lines are only ever added, each in one
 * write, so two servers on one file lose nothing of each other's, and what is there is never written over.
 */
export class NoteFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The newest first. @throws {ToolError} where a line is no note: somebody has to look at the file */
  async list(): Promise<readonly Note[]> {
    const notes = new Map<string, Note>();
    const lines = (await this.#read()).split('\n');
    for (const [at, line] of lines.entries()) {
      if (line.trim() === '') continue;
      const entry = readEntry(line);
      if (entry === undefined) throw new ToolError(`Line ${at + 1} of ${this.#path} is no note. Mend or remove it.`);
      if ('removed' in entry) notes.delete(entry.removed);
      else notes.set(entry.id, entry);
    }
    return [...notes.values()].reverse();
  }

  async add(text: string): Promise<Note> {
    if ((await this.list()).length >= MAX_NOTES)
      throw new ToolError(`There are ${MAX_NOTES} notes. Remove some first.`);
    const note: Note = { id: randomUUID(), text, createdAt: new Date().toISOString() };
    await this.#append(note);
    return note;
  }

  /** @returns whether there was one */
  async remove(id: string): Promise<boolean> {
    if (!(await this.list()).some((note) => note.id === id)) return false;
    await this.#append({ removed: id });
    return true;
  }

  async #read(): Promise<string> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw thrown;
    }
  }

  async #append(entry: Note | { readonly removed: string }): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    // The line feed first: should a write ever break off, only its own line is spoilt.
    await appendFile(this.#path, `\n${JSON.stringify(entry)}`, { mode: 0o600 });
  }
}

function readEntry(line: string): Note | { readonly removed: string } | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== 'object' || entry === null) return undefined;
    if ('removed' in entry) return typeof entry.removed === 'string' ? { removed: entry.removed } : undefined;
    const { id, text, createdAt } = entry as Partial<Note>;
    const isNote = typeof id === 'string' && typeof text === 'string' && typeof createdAt === 'string';
    return isNote ? { id, text, createdAt } : undefined;
  } catch {
    return undefined;
  }
}
