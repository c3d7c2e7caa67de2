import { encodeText } from '../base/index.js';
import { serverCard } from './card.js';
import { addressOf, PLACES } from './paths.js';
import type { PublicTool, Surface } from './types.js';

/** A larger one gives counts instead of tools: it is read by whoever looks at many servers. In bytes. */
const MAX_BYTES = 64 * 1024;

/** The card and what else there is to know before connecting: capabilities, tools without their schemas, counts. */
export function mcpDocument(surface: Surface): string {
  const { capabilities, tools, generatedAt } = surface;
  const rest = {
    ...serverCard(surface),
    capabilities,
    tools_summary: countsOf(surface),
    ...(generatedAt !== undefined && { generated_at: generatedAt }),
  };
  const whole = JSON.stringify({ ...rest, tools: tools.map(summaryOf) });
  return encodeText(whole).length > MAX_BYTES ? JSON.stringify(rest) : whole;
}

function countsOf(surface: Surface): object {
  const { tools } = surface;
  const count = (hint: string): number => tools.filter(({ annotations }) => annotations?.[hint] === true).length;
  return {
    count: tools.length,
    read_only: count('readOnlyHint'),
    destructive: count('destructiveHint'),
    index: addressOf(surface, PLACES.index),
  };
}

function summaryOf({ name, title, description, annotations }: PublicTool): object {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations && { annotations }),
  };
}
