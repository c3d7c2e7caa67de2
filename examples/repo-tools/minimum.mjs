import { defineContract, defineTool, implement } from 'doorward/contract';
import { serve } from 'doorward/node';
import * as z from 'zod';

const input = z.object({ name: z.string().describe('Whom to greet.') });
const output = z.object({ text: z.string() });
const greet = defineTool({ name: 'greet', description: 'Greets somebody by name.', kind: 'read', input, output });
const server = { name: 'io.github.you/greeter', description: 'Greets people.', version: '0.1.0' };
const contract = defineContract({ server, tools: [greet] });
const implementation = implement(contract, { tools: { greet: ({ name }) => ({ text: `Hello, ${name}!` }) } });
console.log((await serve(implementation, { port: Number(process.env.PORT ?? 7450) })).url);
