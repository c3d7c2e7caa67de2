/**
 * State that must outlive one request: which sealed states have been used. It belongs to a principal by what it is keyed
 * with. Several processes that serve the same callers share one store.
 */
export interface StateStore {
  /**
   * Marks a key as used, atomically.
   *
   * @param key never holds a secret in the clear
   * @param expiresAtMs epoch milliseconds; after that it may be forgotten
   * @returns false when it was used before
   */
  useOnce(key: string, expiresAtMs: number): Promise<boolean>;
  /** Whether a key has been used. */
  isUsed(key: string): Promise<boolean>;
  close(): Promise<void>;
}
