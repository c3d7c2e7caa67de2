import { isDeepStrictEqual } from 'node:util';
import type { DocumentName } from '../../src/discovery/index.js';
import { STRICT_CONVERTERS, type VendorForm, type VendorSdks } from '../fixtures/vendor-sdks.js';
import { claim } from './document-checks.js';

/** The SDK that each array is for. */
const FORMS: Partial<Readonly<Record<DocumentName, VendorForm>>> = {
  openaiTools: 'openai',
  openaiStrictTools: 'openai',
  openaiResponsesTools: 'openai-responses',
  openaiResponsesStrictTools: 'openai-responses',
  anthropicTools: 'anthropic',
  anthropicStrictTools: 'anthropic',
  geminiTools: 'gemini',
  geminiStrictTools: 'gemini',
};

/**
 * Hands an array, as it was served, to the SDK of its vendor, which has to send it as it is; and its strict schemas to the
 * converter by which that SDK makes schemas strict, which must find nothing left to do.
 *
 * @returns faults; undefined where the document is for no SDK
 */
export async function checkVendor(
  name: DocumentName,
  document: unknown,
  sdks: Pick<VendorSdks, 'send'>,
): Promise<readonly string[] | undefined> {
  const form = FORMS[name];
  if (form === undefined) return undefined;
  const tools = document as readonly Tool[];
  const sent = await sdks.send(form, tools);
  return [...claim(isDeepStrictEqual(sent, tools), 'its SDK sends something else'), ...strictFaults(form, tools)];
}

interface Tool {
  readonly name?: string;
  readonly strict?: boolean;
  readonly parameters?: unknown;
  readonly input_schema?: unknown;
  readonly function?: Tool;
}

function strictFaults(form: VendorForm, tools: readonly Tool[]): readonly string[] {
  if (form === 'gemini') return [];
  const convert = STRICT_CONVERTERS[form === 'anthropic' ? 'anthropic' : 'openai'];
  return tools
    .map((tool) => tool.function ?? tool)
    .filter(({ strict }) => strict === true)
    .flatMap(({ name, parameters, input_schema: schema = parameters }) =>
      claim(isDeepStrictEqual(convert(schema), schema), `the converter of its SDK changes ${name}`),
    );
}
