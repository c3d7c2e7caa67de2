#!/usr/bin/env node
import { implement } from 'doorward/contract';
import { serveStdio } from 'doorward/node';
import { contract } from './notes/contract.js';
import { NoteFile, noteFileIn } from './notes/note-file.js';

const file = new NoteFile(noteFileIn(process.env));

/** repo-notes: an entry of its own in a client's configuration, beside repo-tools. */
await serveStdio(
  implement(contract, {
    tools: {
      add_note: ({ text }) => file.add(text),
      list_notes: async ({ text = '' }) => {
        const wanted = text.toLowerCase();
        return { notes: (await file.list()).filter((note) => note.text.toLowerCase().includes(wanted)) };
      },
      remove_note: async ({ id }) => ({ removed: await file.remove(id) }),
    },
  }),
);
