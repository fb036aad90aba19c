import { readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import type { Schema } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** An answer to sampling in fields (MCP 2025-11-25 schema, CreateMessageResult). */
export interface SamplingAnswer {
  readonly text: string;
  readonly role: string;
  readonly model: string;
  /** Empty if the answer has none. */
  readonly stopReason: string;
  /** Tools that the answer uses, in order (MCP 2025-11-25 sampling, tool use). */
  readonly toolUses: readonly ToolUse[];
}

export interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** Any value as `readJson` parses it; an object if it is valid. */
  readonly input: unknown;
}

export type SamplingFields =
  | { readonly ok: true; readonly answer: SamplingAnswer; readonly result: Schema }
  /** Why fields cannot show it without losing a part. */
  | { readonly ok: false; readonly reason: string };

/** Parses the JSON text of an answer. */
export function readSamplingAnswer(json: string): SamplingFields {
  const read = readJson(json);
  if (!read.ok) return no(read.at === null ? 'the answer is not valid JSON.' : read.error);
  const result: unknown = read.value;
  if (!isObject(result)) return no('the answer is not an object.');
  const { role = '', model = '', stopReason = '', content } = result;
  if (typeof role !== 'string' || typeof model !== 'string' || typeof stopReason !== 'string')
    return no('role, model and stopReason are not all texts.');
  let text: string | null = null;
  const toolUses: ToolUse[] = [];
  for (const block of Array.isArray(content) ? content : [content]) {
    const use = toolUseOf(block);
    const said = textOf(block);
    if (use !== null) toolUses.push(use);
    else if (said !== null && text === null && toolUses.length === 0) text = said;
    else return no('its content is more than one text and uses of tools.');
  }
  return { ok: true, result, answer: { text: text ?? '', role, model, stopReason, toolUses } };
}

const no = (reason: string): SamplingFields => ({ ok: false, reason });

function textOf(block: unknown): string | null {
  if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string') return null;
  return Object.keys(block).length === 2 ? block.text : null;
}

function toolUseOf(block: unknown): ToolUse | null {
  if (!isObject(block) || block.type !== 'tool_use' || Object.keys(block).length !== 4) return null;
  const { id, name, input } = block;
  return typeof id === 'string' && typeof name === 'string' && 'input' in block ? { id, name, input } : null;
}

/** Writes the fields into the answer; other members of it stay. */
export function writeSamplingAnswer(answer: SamplingAnswer, result: Schema = {}): string {
  const { text, role, model, stopReason, toolUses } = answer;
  const said = { type: 'text', text };
  const uses = toolUses.map((use) => ({ type: 'tool_use', ...use }));
  const { stopReason: _, ...others } = result;
  return writeJson({
    ...others,
    role,
    // A list only where it is needed: earlier revisions have a single block.
    content: uses.length === 0 ? said : [...(text === '' ? [] : [said]), ...uses],
    model,
    ...(stopReason !== '' && { stopReason }),
  });
}

/** Why a model stopped (MCP 2025-11-25 schema, CreateMessageResult); any other text is allowed. */
export const stopReasons = ['endTurn', 'stopSequence', 'maxTokens', 'toolUse'] as const;

/** Adds a use of a tool, which is then why the model stopped. */
export const withToolUse = (answer: SamplingAnswer, name: string): SamplingAnswer => {
  const taken = new Set(answer.toolUses.map(({ id }) => id));
  let next = taken.size + 1;
  while (taken.has(`call_${next}`)) next++;
  return {
    ...answer,
    stopReason: 'toolUse',
    toolUses: [...answer.toolUses, { id: `call_${next}`, name, input: {} }],
  };
};

export const withoutToolUse = (answer: SamplingAnswer, index: number): SamplingAnswer => {
  const toolUses = answer.toolUses.toSpliced(index, 1);
  const isLast = toolUses.length === 0 && answer.stopReason === 'toolUse';
  return { ...answer, toolUses, ...(isLast && { stopReason: 'endTurn' }) };
};
