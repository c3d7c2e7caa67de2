import { writeFile } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';

/**
 * Writes a file whole or not at all; what was there before stays until then. Its mode and owner stay, unless `mode` says otherwise.
 *
 * The library hands its content to the system once, and takes it for written: a disk that has room for a part of it takes
 * that part, and the library lets it replace the file. So the content is written here, to its end, and the library does the rest.
 *
 * @throws the system's error where it cannot be written
 */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  { mode }: { readonly mode?: number } = {},
): Promise<void> {
  const tmpfileCreated = (draft: string): Promise<void> => writeFile(draft, content, { flag: 'r+' });
  await writeFileAtomic(path, undefined, { tmpfileCreated, ...(mode !== undefined && { mode }) });
}
