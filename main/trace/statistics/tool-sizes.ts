import type { ToolSize } from '#shared/contract/trace.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { elementTexts, memberText } from '#trace/units/raw-json.ts';
import { readMessageText } from '#trace/view/row-reader.ts';

const CHARACTERS_A_TOKEN = 4;
/** Bytes of a list above which its tools are not taken apart. */
const LARGEST_LIST = 32 * 1024 * 1024;

/** The sizes of the tools that lists held. What a tool was last counts. */
export class ToolSizes {
  readonly #trace: ReadableTrace;
  readonly #sizes = new Map<string, ToolSize>();

  constructor(trace: ReadableTrace) {
    this.#trace = trace;
  }

  /** Takes the answer to a `tools/list`. One too large to be read at once is left out. */
  async add(row: number): Promise<void> {
    if (this.#trace.index.columns.size(row) > LARGEST_LIST) return;
    for (const text of await readToolTexts(this.#trace, row)) {
      const tool: unknown = JSON.parse(text);
      if (!isObject(tool) || typeof tool.name !== 'string') continue;
      const { name } = tool;
      const bytes = Buffer.byteLength(text);
      this.#sizes.set(name, { name, bytes, tokens: Math.ceil(text.length / CHARACTERS_A_TOKEN), row });
    }
  }

  /** The largest first. */
  told(): ToolSize[] {
    return [...this.#sizes.values()].sort((a, b) => b.bytes - a.bytes);
  }
}

/** The tools of a list as they were written. */
async function readToolTexts(trace: ReadableTrace, row: number): Promise<string[]> {
  const tools = memberText(await readMessageText(trace, row), ['result', 'tools']);
  return tools === null ? [] : elementTexts(tools);
}
