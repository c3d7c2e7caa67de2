import { DoorError } from '../base/index.js';
import { compileSchema, type Judge } from '../schema/index.js';
import type { ToolsDocument } from './agent-tools.js';
import { isNode, type SchemaNode, step, type Variant } from './projections/index.js';

/** A call as a model made it. */
export interface ModelCall {
  /** The name that the model saw. */
  readonly name: string;
  /** The arguments it wrote, parsed. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Which definitions it was given. Default `strict`. */
  readonly variant?: Variant;
}

/** The params of a tools/call (MCP schema, CallToolRequestParams). */
export interface ToolCallParams {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Turns a model's call into the tools/call that it means: under the tool's own name, and without the members that the
 * model could only leave out by writing null. Every other null stays, and nothing is added.
 *
 * @param projection the document that the definitions came from: `/.well-known/agent-tools/<target>.json`
 * @throws {DoorError} TOOL_UNKNOWN for a name that is not in the document
 */
export function toToolArguments(projection: ToolsDocument, call: ModelCall): ToolCallParams {
  const { name: as, variant = 'strict' } = call;
  const tool = projection.tools.find((each) => each.as === as);
  if (tool === undefined) {
    throw new DoorError('TOOL_UNKNOWN', `the document has no tool ${JSON.stringify(as.slice(0, 128))}`, {
      hint: 'Use the document that the definitions came from, read anew.',
    });
  }
  const { definition, nullMeansAbsent } = tool[variant];
  if (nullMeansAbsent.length === 0) return { name: tool.name, arguments: call.arguments };
  const root = parametersIn(definition);
  const absences = new Absences(root, new Set(nullMeansAbsent));
  return { name: tool.name, arguments: absences.leftOut(root, '', call.arguments) as ToolCallParams['arguments'] };
}

/** OpenAI alone has nulls that mean absence; both of its forms have the parameters here. */
function parametersIn(definition: SchemaNode): SchemaNode {
  const holder = isNode(definition.function) ? definition.function : definition;
  return isNode(holder.parameters) ? holder.parameters : {};
}

/** Walks a value along the strict schema that it was written by. */
class Absences {
  readonly #root: SchemaNode;
  readonly #nullMeansAbsent: ReadonlySet<string>;

  constructor(root: SchemaNode, nullMeansAbsent: ReadonlySet<string>) {
    this.#root = root;
    this.#nullMeansAbsent = nullMeansAbsent;
  }

  /** The value without what is absent; the very same value where nothing is. */
  leftOut(node: SchemaNode, pointer: string, value: unknown): unknown {
    if (typeof node.$ref === 'string') {
      const target = node.$ref.slice(1);
      return this.leftOut(this.#definition(node.$ref), target, value);
    }
    if (Array.isArray(node.anyOf)) return this.#inBranch(node.anyOf, pointer, value);
    if (Array.isArray(value)) return this.#inItems(node, pointer, value);
    return isNode(value) ? this.#inMembers(node, pointer, value) : value;
  }

  #definition(ref: string): SchemaNode {
    const name = ref.slice('#/$defs/'.length);
    const { $defs } = this.#root;
    const found = isNode($defs) ? $defs[name] : undefined;
    return isNode(found) ? found : {};
  }

  /** By the branch that the value fits. Where it fits several, by one in which all its nulls are real. */
  #inBranch(branches: readonly unknown[], pointer: string, value: unknown): unknown {
    let found: unknown = value;
    let isFirst = true;
    for (const [at, branch] of branches.entries()) {
      if (!isNode(branch) || !this.#judgeOf(branch).checkValue(value).valid) continue;
      const result = this.leftOut(branch, `${pointer}/anyOf/${at}`, value);
      if (result === value) return value;
      if (isFirst) found = result;
      isFirst = false;
    }
    return found;
  }

  #inItems(node: SchemaNode, pointer: string, value: readonly unknown[]): unknown {
    const { items } = node;
    if (!isNode(items)) return value;
    const results = value.map((item) => this.leftOut(items, `${pointer}/items`, item));
    return results.every((item, at) => item === value[at]) ? value : results;
  }

  #inMembers(node: SchemaNode, pointer: string, value: SchemaNode): unknown {
    const properties = isNode(node.properties) ? node.properties : {};
    let isChanged = false;
    const members: [string, unknown][] = [];
    for (const [name, member] of Object.entries(value)) {
      const place = `${pointer}/properties${step(name)}`;
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (member === null && this.#nullMeansAbsent.has(place)) {
        isChanged = true;
        continue;
      }
      const result = isNode(property) ? this.leftOut(property, place, member) : member;
      isChanged ||= result !== member;
      members.push([name, result]);
    }
    return isChanged ? Object.fromEntries(members) : value;
  }

  #judgeOf(branch: SchemaNode): Pick<Judge, 'checkValue'> {
    const compilation = compileSchema({ ...branch, ...(isNode(this.#root.$defs) && { $defs: this.#root.$defs }) });
    if (compilation.ok) return compilation.judge;
    throw compilation.error;
  }
}
