// @ts-check
/** The tools that the bench's upstream lists: the three that are called, and any number that are only listed. */

const RECORD = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 0 },
    name: { type: 'string', minLength: 1, maxLength: 200 },
    sku: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$' },
    price: { type: 'number', minimum: 0 },
    score: { type: 'number', minimum: 0, maximum: 1 },
    active: { type: 'boolean' },
    tags: { type: 'array', maxItems: 8, items: { enum: ['red', 'green', 'blue', 'new', 'used', 'rare'] } },
    place: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        lat: { type: 'number', minimum: -90, maximum: 90 },
        lon: { type: 'number', minimum: -180, maximum: 180 },
      },
      required: ['city', 'lat', 'lon'],
      additionalProperties: false,
    },
    note: { type: ['string', 'null'] },
  },
  required: ['id', 'name', 'sku', 'price', 'score', 'active', 'tags', 'place', 'note'],
  additionalProperties: false,
};

const PICK = { type: 'integer', minimum: 0, maximum: 999 };

export const CALLED_TOOLS = [
  {
    name: 'text',
    description: 'Answers with text; takes text, if any.',
    inputSchema: {
      type: 'object',
      properties: { pick: PICK, text: { type: 'string' } },
      required: ['pick'],
      additionalProperties: false,
    },
  },
  {
    name: 'records',
    description: 'Takes records and answers with records.',
    inputSchema: {
      type: 'object',
      properties: { pick: PICK, records: { type: 'array', items: RECORD } },
      required: ['pick', 'records'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { records: { type: 'array', items: RECORD } },
      required: ['records'],
      additionalProperties: false,
    },
  },
  // doorward has no switch that turns judging off; a schema that asks for nothing is the nearest thing to it.
  { name: 'anything', description: 'Takes anything.', inputSchema: { type: 'object' } },
];

/** A tool as real servers list them: some 600 bytes, a description, five arguments. No two are alike.
 * @param {number} index */
export function listedTool(index) {
  return {
    name: `listed_tool_${index}`,
    title: `Listed tool number ${index}`,
    description: `Reads entry ${index} of the archive and returns what it says about the given subject, newest first.`,
    inputSchema: {
      type: 'object',
      properties: {
        subject: { type: 'string', description: `What entry ${index} is asked about`, minLength: 1 },
        limit: { type: 'integer', minimum: 1, maximum: 100 + (index % 50), default: 20 },
        order: { enum: ['newest', 'oldest', `rank_${index % 7}`] },
        since: { type: 'string', format: 'date-time' },
        [`filter_${index % 11}`]: { type: 'array', items: { type: 'string' }, maxItems: 10 },
      },
      required: ['subject'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: index % 2 === 0 },
  };
}
