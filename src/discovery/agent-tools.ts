import { addressOf, endpointOf, TOOLS_FOLDER } from './paths.js';
import {
  type Definition,
  definitionIn,
  type Fidelity,
  FORMS,
  type Form,
  type ProjectedTool,
  projectTools,
  TARGETS,
  type Target,
  toolsIn,
  type Variant,
} from './projections/index.js';
import type { PublicTool, Surface } from './types.js';

/** How a call that a model made is carried out: as a tools/call to the endpoint, under the tool's own name. */
export interface Executor {
  readonly path: string;
  readonly url?: string;
  readonly transport: 'streamable-http';
  readonly method: 'tools/call';
  readonly protocolVersions: readonly string[];
}

/** One variant of a tool in the document of a target. */
export interface DocumentedVariant {
  readonly definition: Definition;
  readonly fidelity: Fidelity;
  /** JSON pointers into the parameters: properties where null says that they are left out. */
  readonly nullMeansAbsent: readonly string[];
}

export interface DocumentedTool {
  readonly name: string;
  readonly as: string;
  readonly annotations?: PublicTool['annotations'];
  readonly loose: DocumentedVariant;
  readonly strict: DocumentedVariant;
}

/** `/.well-known/agent-tools/<target>.json`. */
export interface ToolsDocument {
  readonly target: Target;
  readonly server: { readonly name: string; readonly version: string };
  readonly fingerprint?: string;
  readonly generated_at?: string;
  readonly executor: Executor;
  /** The tool's own name by the one that models see. */
  readonly names: Readonly<Record<string, string>>;
  readonly tools: readonly DocumentedTool[];
  /** Where the bare arrays are. */
  readonly arrays: Readonly<Record<string, string>>;
}

/** Everything about the tools for one vendor: definitions, how to carry calls out, and how true they are. */
export function toolsDocument(surface: Surface, target: Target): ToolsDocument {
  const projected = projectTools(surface.tools, target);
  const form = formsOf(target)[0]!;
  return {
    target,
    ...headOf(surface),
    executor: executorOf(surface),
    names: Object.fromEntries(projected.map(({ as, name }) => [as, name])),
    tools: surface.tools.map((tool, at) => documented(tool, projected[at]!, form)),
    arrays: Object.fromEntries(
      formsOf(target).flatMap((each) => [
        [each, addressOf(surface, arrayPathOf(each, 'loose'))],
        [`${each}.strict`, addressOf(surface, arrayPathOf(each, 'strict'))],
      ]),
    ),
  };
}

/** The bare array that the vendor's SDK takes. */
export function toolsArray(surface: Surface, form: Form, variant: Variant): readonly Definition[] {
  const projected = projectTools(surface.tools, targetOf(form));
  const definitions = surface.tools.map((tool, at) => definitionIn(form, { tool, projected: projected[at]!, variant }));
  return toolsIn(form, definitions);
}

/** The tools as they are, and what becomes of each for each target. */
export function toolsIndex(surface: Surface): object {
  const byTarget = TARGETS.map((target) => [target, projectTools(surface.tools, target)] as const);
  return {
    ...headOf(surface),
    executor: executorOf(surface),
    count: surface.tools.length,
    tools: surface.tools.map((tool, at) => ({
      ...tool,
      projections: Object.fromEntries(
        byTarget.map(([target, projected]) => {
          const { as, loose, strict } = projected[at]!;
          return [target, { name: as, loose: loose.fidelity.kind, strict: strict.fidelity.kind }];
        }),
      ),
    })),
    documents: Object.fromEntries(TARGETS.map((target) => [target, addressOf(surface, documentPathOf(target))])),
    arrays: Object.fromEntries(
      FORMS.flatMap((form) => [
        [form, addressOf(surface, arrayPathOf(form, 'loose'))],
        [`${form}.strict`, addressOf(surface, arrayPathOf(form, 'strict'))],
      ]),
    ),
  };
}

/** Where the tools for a vendor lie, with how calls are carried out. */
export function documentPathOf(target: Target): string {
  return `${TOOLS_FOLDER}/${target}.json`;
}

/** Where the bare array lies that goes into a vendor's request as it is. */
export function arrayPathOf(form: Form, variant: Variant): string {
  return `${TOOLS_FOLDER}/${form}${variant === 'strict' ? '.strict' : ''}.tools.json`;
}

function targetOf(form: Form): Target {
  return form === 'openai-responses' ? 'openai' : form;
}

function formsOf(target: Target): readonly Form[] {
  return FORMS.filter((form) => targetOf(form) === target);
}

function headOf({ server, fingerprint, generatedAt }: Surface): Pick<ToolsDocument, 'server' | 'fingerprint'> {
  return {
    server: { name: server.name, version: server.version },
    ...(fingerprint !== undefined && { fingerprint }),
    ...(generatedAt !== undefined && { generated_at: generatedAt }),
  };
}

function executorOf(surface: Surface): Executor {
  const { publicUrl, path, supportedVersions } = surface;
  return {
    path,
    ...(publicUrl !== undefined && { url: endpointOf(surface) }),
    transport: 'streamable-http',
    method: 'tools/call',
    protocolVersions: supportedVersions,
  };
}

function documented(tool: PublicTool, projected: ProjectedTool, form: Form): DocumentedTool {
  const variantOf = (variant: Variant): DocumentedVariant => {
    const { fidelity, nullMeansAbsent } = projected[variant];
    return { definition: definitionIn(form, { tool, projected, variant }), fidelity, nullMeansAbsent };
  };
  return {
    name: tool.name,
    as: projected.as,
    ...(tool.annotations && { annotations: tool.annotations }),
    loose: variantOf('loose'),
    strict: variantOf('strict'),
  };
}
