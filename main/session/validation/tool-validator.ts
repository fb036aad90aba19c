import type { Validation } from '#shared/contract/calls.ts';
import type { ToolList } from '#shared/contract/catalog.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { memberText } from '#trace/units/raw-json.ts';
import { prepareValidation, SchemaValidator } from './schema-validator.ts';

/** Validates calls against the schemas of the listed tools: their arguments, and the structured content of results. */
export class ToolValidator {
  readonly #tools: () => ToolList;
  readonly #schemas = new SchemaValidator();

  constructor(tools: () => ToolList) {
    this.#tools = tools;
  }

  /** Prepares the most frequent dialect, so that the first call need not wait for it. */
  prepare(): void {
    if (this.#tools().entries.length > 0) prepareValidation();
  }

  /** The arguments of a call, as JSON text, by `inputSchema`; null when the tool is not listed. */
  ofArguments(tool: string, argsText: string): Validation | null {
    const listed = this.#textOf(tool);
    if (listed === null) return null;
    const schema = memberText(listed, ['inputSchema']);
    if (schema === null) return { state: 'unknown', reason: 'The tool has no inputSchema.' };
    return this.#schemas.validateText(schema, argsText);
  }

  /**
   * The result of a call by `outputSchema` (MCP 2025-06-18 tools, output schema); null when the tool is not listed
   * or has none, and for what is no result of a tool that succeeded.
   */
  ofOutput(tool: string, result: unknown): Validation | null {
    const listed = this.#textOf(tool);
    const schema = listed === null ? null : memberText(listed, ['outputSchema']);
    if (schema === null || !isObject(result) || result.isError === true) return null;
    // Of the modern era; every other result type is no end of a call.
    if (result.resultType !== undefined && result.resultType !== 'complete') return null;
    if (!Object.hasOwn(result, 'structuredContent')) return { state: 'invalid', problems: [noContent] };
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
  keyword: 'required',
  message: 'structuredContent is missing, although the tool has an outputSchema',
};
