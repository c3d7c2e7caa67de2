import { type HandlerContext, type Reply, ToolError, type ToolHandler } from 'doorward/contract';
import * as z from 'zod';
import { type Family, findLicenceById, LICENCES, type Licence } from './licences.js';
import type { checkLicences, findLicence, recommendLicence, searchLicences } from './tools.js';

/** Progress is told after each lot of packages. */
const LOT = 50;

type Sharing = 'anything-goes' | 'changes-to-these-files' | 'whole-programs' | 'network-services';

const FAMILY_OF: Readonly<Record<Sharing, Family>> = {
  'anything-goes': 'permissive',
  'changes-to-these-files': 'weak-copyleft',
  'whole-programs': 'strong-copyleft',
  'network-services': 'network-copyleft',
};

/** What is asked where the arguments leave it open; a flat form, which every client can show. */
const WISHES = z.object({
  sharing: z
    .enum(['anything-goes', 'changes-to-these-files', 'whole-programs', 'network-services'])
    .describe('What must others share under the same licence?'),
  patents: z.boolean().default(false).describe('Do you want a patent grant in so many words?'),
});

interface LicenceHandlers {
  readonly find_licence: ToolHandler<typeof findLicence>;
  readonly search_licences: ToolHandler<typeof searchLicences>;
  readonly check_licences: ToolHandler<typeof checkLicences>;
  readonly recommend_licence: ToolHandler<typeof recommendLicence>;
}

export const licenceHandlers: LicenceHandlers = {
  find_licence: ({ id }) => getLicence(id),

  search_licences: ({ text, family, isOsiApproved, grantsPatents }) => {
    const wanted = text?.toLowerCase();
    const licences = LICENCES.filter(
      (licence) =>
        (wanted === undefined || `${licence.id} ${licence.name}`.toLowerCase().includes(wanted)) &&
        (family === undefined || licence.family === family) &&
        (isOsiApproved === undefined || licence.isOsiApproved === isOsiApproved) &&
        (grantsPatents === undefined || licence.grantsPatents === grantsPatents),
    );
    return { licences };
  },

  check_licences: async ({ packages, allowed }, { signal, progress }) => {
    const findings: { package: string; licence: string; problem: Problem }[] = [];
    for (const [at, { name, licence }] of packages.entries()) {
      const problem = problemOf(findLicenceById(licence), allowed);
      if (problem !== undefined) findings.push({ package: name, licence, problem });
      const done = at + 1;
      if (done % LOT !== 0 && done !== packages.length) continue;
      progress({ progress: done, total: packages.length, message: `${findings.length} findings` });
      // A long list must not keep others waiting, and whoever gave up need not wait for its end.
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
    }
    return { passed: packages.length - findings.length, findings };
  },

  recommend_licence: async ({ sharing, patents }, context) => {
    const wishes = sharing === undefined ? await askFor(context) : { sharing, patents: patents ?? false };
    const fitting = LICENCES.filter(
      ({ family, isOsiApproved, grantsPatents }) =>
        family === FAMILY_OF[wishes.sharing] && isOsiApproved && (grantsPatents || !wishes.patents),
    );
    const grant = wishes.patents ? ', with a patent grant' : '';
    return { licences: fitting.slice(0, 5), because: `${FAMILY_OF[wishes.sharing]}${grant}, approved by the OSI` };
  },
};

async function askFor({ elicit }: HandlerContext): Promise<z.output<typeof WISHES>> {
  let reply: Reply<z.output<typeof WISHES>>;
  try {
    reply = await elicit({ message: 'What should the licence ask of others?', form: WISHES });
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code !== 'CAPABILITY_MISSING') throw thrown;
    throw new ToolError('This client cannot ask its user. Call again with `sharing`, and `patents` if it matters.');
  }
  if (reply.action === 'accept') return reply.content;
  throw new ToolError('The user did not say what the licence should ask of others.');
}

type Problem = 'unknown' | 'family-not-allowed' | 'not-osi-approved';

function problemOf(licence: Licence | undefined, allowed: readonly Family[]): Problem | undefined {
  if (licence === undefined) return 'unknown';
  if (!allowed.includes(licence.family)) return 'family-not-allowed';
  return licence.isOsiApproved ? undefined : 'not-osi-approved';
}

/** @throws {ToolError} where it is not known, with what comes near */
export function getLicence(id: string): Licence {
  const licence = findLicenceById(id);
  if (licence !== undefined) return licence;
  const near = LICENCES.filter((known) => known.id.toLowerCase().startsWith(id.slice(0, 3).toLowerCase()));
  const hint = near.length === 0 ? '' : ` Known are ${near.map((known) => known.id).join(', ')}.`;
  throw new ToolError(`There is no licence ${JSON.stringify(id)} here.${hint}`);
}

/** A licence as text for people. */
export function licenceText({ id, name, family, isOsiApproved, facts }: Licence): string {
  const approval = isOsiApproved ? 'approved by the OSI' : 'not approved by the OSI';
  return [`# ${name} (${id})`, '', `${family}, ${approval}.`, '', ...facts.map((fact) => `- ${fact}`), ''].join('\n');
}
