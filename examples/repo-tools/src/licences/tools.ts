import { defineTool } from 'doorward/contract';
import * as z from 'zod';

/** These need no machine of anybody's: they run wherever the contract is served, on Node and in a Worker. */

const id = z.string().min(1).max(100).describe('An SPDX identifier, such as MIT or Apache-2.0; case does not matter.');
const family = z.enum(['permissive', 'weak-copyleft', 'strong-copyleft', 'network-copyleft', 'public-domain']);
const licence = z.object({
  id: z.string(),
  name: z.string(),
  family,
  isOsiApproved: z.boolean(),
  grantsPatents: z.boolean().describe('Whether it grants a licence to patents in so many words.'),
  facts: z.array(z.string()),
});

export const findLicence = defineTool({
  name: 'find_licence',
  title: 'Find a licence',
  description: 'Tells what is known of one licence by its SPDX identifier. Facts, not legal advice.',
  kind: 'read',
  input: z.object({ id }),
  output: licence,
  examples: [{ input: { id: 'MIT' } }, { title: 'Case does not matter', input: { id: 'mpl-2.0' } }],
});

export const searchLicences = defineTool({
  name: 'search_licences',
  title: 'Search licences',
  description: 'Lists licences by family, approval and what they say about patents.',
  kind: 'read',
  input: z.object({
    text: z.string().max(100).optional().describe('A part of the identifier or name.'),
    family: family.optional(),
    isOsiApproved: z.boolean().optional(),
    grantsPatents: z.boolean().optional(),
  }),
  output: z.object({ licences: z.array(licence) }),
  examples: [{ title: 'Permissive, with a patent grant', input: { family: 'permissive', grantsPatents: true } }],
});

export const checkLicences = defineTool({
  name: 'check_licences',
  title: 'Check licences',
  description:
    'Looks through the licences of a list of packages: which are known, which are copyleft, which are not approved by ' +
    'the OSI. Reports progress.',
  kind: 'read',
  input: z.object({
    packages: z
      .array(z.object({ name: z.string().min(1).max(200), licence: id }))
      .min(1)
      .max(1_000),
    allowed: z.array(family).default(['permissive', 'public-domain']),
  }),
  output: z.object({
    passed: z.int(),
    findings: z.array(
      z.object({
        package: z.string(),
        licence: z.string(),
        problem: z.enum(['unknown', 'family-not-allowed', 'not-osi-approved']),
      }),
    ),
  }),
  examples: [
    {
      input: {
        packages: [
          { name: 'left', licence: 'MIT' },
          { name: 'right', licence: 'GPL-3.0-only' },
        ],
      },
    },
  ],
});

export const recommendLicence = defineTool({
  name: 'recommend_licence',
  title: 'Recommend a licence',
  description:
    'Names licences that fit what somebody wants. What the arguments leave open it asks the user, where the client can ask.',
  kind: 'read',
  input: z.object({
    sharing: z
      .enum(['anything-goes', 'changes-to-these-files', 'whole-programs', 'network-services'])
      .optional()
      .describe('What others have to share under the same licence.'),
    patents: z.boolean().optional().describe('Whether a patent grant in so many words is wanted.'),
  }),
  output: z.object({ licences: z.array(licence), because: z.string() }),
  examples: [{ title: 'Nothing left open', input: { sharing: 'anything-goes', patents: true } }],
});
