/** What a run of git printed. */
export interface GitOutput {
  readonly text: string;
  /** It was more than is read; `text` is the beginning. */
  readonly isCut: boolean;
}

/**
 * git, as the handlers need it. Who runs it is not their concern: a process (git-process.ts), or a test.
 */
export interface Git {
  /**
   * Runs git at the top of the repository. Arguments are handed over one by one; no shell reads them.
   *
   * @throws {ToolError} where git refuses, with what it said
   */
  run(args: readonly string[], options: { readonly signal: AbortSignal }): Promise<GitOutput>;
}
