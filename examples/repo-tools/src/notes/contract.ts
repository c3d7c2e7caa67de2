import { defineContract, defineTool } from 'doorward/contract';
import * as z from 'zod';
import packageJson from '../../package.json' with { type: 'json' };

/**
 * A second server, for what belongs to one machine only. It has a contract of its own, so nothing of it can come into the
 * manifest, the card or the tools of the first.
 */

const note = z.object({ id: z.string(), text: z.string(), createdAt: z.string().describe('ISO 8601') });

const addNote = defineTool({
  name: 'add_note',
  title: 'Add a note',
  description: 'Keeps a note on this machine, for you or the next session.',
  kind: 'write',
  locality: 'local',
  input: z.object({ text: z.string().trim().min(1).max(4_000) }),
  output: note,
  examples: [{ input: { text: 'The tests need a running database.' } }],
});

const listNotes = defineTool({
  name: 'list_notes',
  title: 'List notes',
  description: 'Lists the notes kept on this machine, the newest first.',
  kind: 'read',
  locality: 'local',
  input: z.object({ text: z.string().max(200).optional().describe('Only notes that hold it, whatever its case.') }),
  output: z.object({ notes: z.array(note) }),
  examples: [{ input: {} }],
});

const removeNote = defineTool({
  name: 'remove_note',
  title: 'Remove a note',
  description: 'Removes a note from this machine.',
  kind: 'destructive',
  locality: 'local',
  input: z.object({ id: z.string().min(1).max(100).describe('As list_notes has it.') }),
  output: z.object({ removed: z.boolean().describe('false where there was none') }),
  examples: [{ input: { id: 'a-note-that-is-not-there' } }],
});

export const contract = defineContract({
  server: {
    name: 'io.github.doorward/repo-notes',
    title: 'Repo notes',
    description: 'Notes about your work, kept on this machine.',
    version: packageJson.version,
  },
  tools: [addNote, listNotes, removeNote],
});
