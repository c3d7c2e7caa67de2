/** Reads what git prints for programs. Every format here ends its records with NUL, so no name can be mistaken for one. */

export interface Commit {
  readonly hash: string;
  readonly author: string;
  /** ISO 8601. */
  readonly date: string;
  readonly subject: string;
}

/** The fields of a commit for `git log`, in the order of `Commit`, then the rest that searching needs. */
export const COMMIT_FORMAT = ['%H', '%an', '%aI', '%s', '%ae', '%B'].join('%x1f');

export interface FoundCommit extends Commit {
  readonly address: string;
  readonly message: string;
}

/** @param text of `git log -z --format=COMMIT_FORMAT` */
export function readCommits(text: string): readonly FoundCommit[] {
  return recordsOf(text).map((record) => {
    const [hash = '', author = '', date = '', subject = '', address = '', message = ''] = record.split('\u001f');
    return { hash, author, date, subject, address, message };
  });
}

/** Without what only searching needs. */
export function shownCommit({ hash, author, date, subject }: Commit): Commit {
  return { hash, author, date, subject };
}

export interface Status {
  readonly branch: string | null;
  readonly commit: string | null;
  readonly upstream: string | null;
  readonly ahead: number;
  readonly behind: number;
  readonly files: readonly { readonly path: string; readonly staged: string; readonly unstaged: string }[];
}

/** @param text of `git status --porcelain=v2 --branch -z` */
export function readStatus(text: string): Status {
  const heads = new Map<string, string>();
  const files: { path: string; staged: string; unstaged: string }[] = [];
  const records = recordsOf(text);
  for (let at = 0; at < records.length; at++) {
    const record = records[at]!;
    const kind = record[0];
    if (kind === '#') {
      const [, key = '', ...rest] = record.split(' ');
      heads.set(key, rest.join(' '));
    } else if (kind === '?') {
      files.push({ path: record.slice(2), staged: '.', unstaged: '?' });
    } else {
      const fields = FIELDS_BEFORE_PATH[kind ?? ''];
      if (fields === undefined) continue;
      files.push({ path: pathAfter(record, fields), staged: record[2] ?? '.', unstaged: record[3] ?? '.' });
      // A rename is followed by the name that it had.
      if (kind === '2') at++;
    }
  }
  const [, ahead = '0', behind = '0'] = /\+(\d+) -(\d+)/.exec(heads.get('branch.ab') ?? '') ?? [];
  const named = (key: string, none: string): string | null => {
    const value = heads.get(key);
    return value === undefined || value === none ? null : value;
  };
  return {
    branch: named('branch.head', '(detached)'),
    commit: named('branch.oid', '(initial)'),
    upstream: named('branch.upstream', ''),
    ahead: Number(ahead),
    behind: Number(behind),
    files,
  };
}

/** How many fields stand before the path (git-status, Porcelain Format Version 2). */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };

function pathAfter(record: string, fields: number): string {
  let at = 0;
  for (let field = 0; field < fields; field++) at = record.indexOf(' ', at) + 1;
  return record.slice(at);
}

export interface ChangedFile {
  readonly path: string;
  /** null: it is no text. */
  readonly added: number | null;
  readonly removed: number | null;
}

/** @param text of `git diff --numstat -z --no-renames` */
export function readNumstat(text: string): readonly ChangedFile[] {
  return recordsOf(text).map((record) => {
    const [added = '', removed = '', ...path] = record.split('\t');
    return { path: path.join('\t'), added: countOf(added), removed: countOf(removed) };
  });
}

export interface Branch {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly upstream: string | null;
  readonly lastCommit: Commit;
}

/** The fields of a branch for `git for-each-ref`. */
export const BRANCH_FORMAT = [
  '%(HEAD)',
  '%(refname:short)',
  '%(upstream:short)',
  '%(objectname)',
  '%(authorname)',
  '%(authordate:iso-strict)',
  '%(subject)',
].join('%1f');

/** @param text of `git for-each-ref --format=BRANCH_FORMAT%00`, whose records end with NUL and a line feed */
export function readBranches(text: string): readonly Branch[] {
  return recordsOf(text)
    .map((record) => record.replace(/^\n/, ''))
    .filter((record) => record !== '')
    .map((record) => {
      const [head, name = '', upstream = '', hash = '', author = '', date = '', subject = ''] = record.split('\u001f');
      return {
        name,
        isCurrent: head === '*',
        upstream: upstream === '' ? null : upstream,
        lastCommit: { hash, author, date, subject },
      };
    });
}

function recordsOf(text: string): string[] {
  const records = text.split('\0');
  // What follows the last NUL is nothing, or a record that was cut.
  records.pop();
  return records;
}

function countOf(field: string): number | null {
  return /^\d+$/.test(field) ? Number(field) : null;
}
