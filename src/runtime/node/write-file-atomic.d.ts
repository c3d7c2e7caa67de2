/** The package has no types of its own; this is the part that is used. */
declare module 'write-file-atomic' {
  export default function writeFileAtomic(
    path: string,
    content: undefined,
    options: {
      readonly mode?: number;
      /** Awaited before anything is written. */
      readonly tmpfileCreated: (path: string) => Promise<void>;
    },
  ): Promise<void>;
}
