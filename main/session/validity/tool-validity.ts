import type { Validity } from '#shared/contract/calls.ts';
import type { ToolList } from '#shared/contract/catalog.ts';
import { messageOf } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { memberText } from '#trace/units/raw-json.ts';
import { dialectOf, JsonSchemas } from './json-schemas.ts';

/** Whether calls are as the listed tools say: their arguments, and the structured content of their results. */
export class ToolValidity {
  readonly #tools: () => ToolList;
  readonly #schemas = new JsonSchemas();

  constructor(tools: () => ToolList) {
    this.#tools = tools;
  }

  /** Builds what most schemas are judged by: that takes its time once, which is not to be that of the first call. */
  prepare(): void {
    if (this.#tools().entries.length > 0) dialectOf(undefined);
  }

  /** The arguments of a call, as JSON text, by `inputSchema`; null when the tool is not listed. */
  ofArguments(tool: string, argsText: string): Validity | null {
    const listed = this.#textOf(tool);
    if (listed === null) return null;
    const schema = memberText(listed, ['inputSchema']);
    if (schema === null) return { verdict: 'unknown', why: 'The tool has no inputSchema.' };
    let args: unknown;
    try {
      args = JSON.parse(argsText);
    } catch (error) {
      return { verdict: 'unknown', why: `The arguments are not JSON: ${messageOf(error)}` };
    }
    return this.#schemas.validate(schema, args);
  }

  /**
   * The result of a call by `outputSchema` (MCP 2025-06-18 tools, output schema); null when the tool is not listed
   * or has none, and for what is no result of a tool that succeeded.
   */
  ofOutput(tool: string, result: unknown): Validity | null {
    const listed = this.#textOf(tool);
    const schema = listed === null ? null : memberText(listed, ['outputSchema']);
    if (schema === null || !isObject(result) || result.isError === true) return null;
    // Of the modern era; every other result type is no end of a call.
    if (result.resultType !== undefined && result.resultType !== 'complete') return null;
    if (!Object.hasOwn(result, 'structuredContent')) return { verdict: 'invalid', problems: [noContent] };
    return this.#schemas.validate(schema, result.structuredContent);
  }

  /** What was listed under this name, as it was written: the first that can be used, else one that cannot. */
  #textOf(tool: string): string | null {
    const { entries } = this.#tools();
    const usable = entries.find((entry) => entry.usable && entry.tool.name === tool);
    return (usable ?? entries.find((entry) => !entry.usable && entry.name === tool))?.raw ?? null;
  }
}

const noContent = {
  pointer: '',
  message: 'structuredContent is missing, although the tool has an outputSchema',
};
