/** The package has no types of its own; this is the part that is used. */
declare module 'write-file-atomic' {
  export default function writeFileAtomic(
    path: string,
    content: string | Uint8Array,
    options?: { readonly mode?: number },
  ): Promise<void>;
}
