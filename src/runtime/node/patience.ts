/** How long a wait may take; `hurriedMs` from the moment on that there is no more time. */
export interface Patience {
  readonly timeoutMs: number;
  readonly hurriedMs: number;
}

/** The signals that end serving. */
export const END_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Waits for a task, with patience. A task that fails fails the wait.
 *
 * @param hurried resolves when there is no more time, if ever
 */
export async function waitPatiently(
  task: Promise<void>,
  { timeoutMs, hurriedMs }: Patience,
  hurried: Promise<void>,
): Promise<void> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
    void hurried.then(() => {
      clearTimeout(timer);
      if (!isOver) timer = setTimeout(resolve, hurriedMs);
    });
  });
  try {
    await Promise.race([task, timeout]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
