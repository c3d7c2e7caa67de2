/** A word as a shell takes it: in quotes where it would not stay one word. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command line of these words. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
