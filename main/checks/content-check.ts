import { readBase64 } from '#shared/base64.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { isObject, type Message } from '#shared/protocol/jsonrpc.ts';
import type { NewFinding } from '#trace/findings.ts';
import { type MessageRef, newFinding } from './rules.ts';

/** Findings of one message. */
const MAX_FINDINGS = 20;
/** Blocks and contents of one message that are looked at. */
const MAX_BLOCKS = 10_000;
/** Levels of content in content. */
const DEEPEST = 8;

/** The members that lead to content: of results, of sampling requests, and of content that holds other content. */
const leading = ['content', 'contents', 'messages', 'resource', 'result', 'inputRequests', 'params'] as const;

type Path = readonly (string | number)[];

/** Checks that images, audio and blobs are base64 (MCP 2025-06-18 schema, ImageContent, AudioContent, BlobResourceContents). */
export function checkContent(message: Message, ref: MessageRef): readonly NewFinding[] {
  if (message.type === 'error') return NOTHING;
  const [member, value] = message.type === 'result' ? ['result', message.result] : ['params', message.params];
  if (!isObject(value)) return NOTHING;
  const walk = new Walk(ref);
  walk.value(value, [member], 0);
  return walk.found;
}

const NOTHING: readonly NewFinding[] = [];

class Walk {
  readonly found: NewFinding[] = [];
  readonly #ref: MessageRef;
  #left = MAX_BLOCKS;

  constructor(ref: MessageRef) {
    this.#ref = ref;
  }

  value(value: unknown, path: Path, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
    if (--this.#left < 0 || this.found.length >= MAX_FINDINGS) return;
    if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) this.value(one, [...path, index], depth);
      return;
    }
    if (!isObject(value)) return;
    const { type, data, blob } = value;
    if ((type === 'image' || type === 'audio') && typeof data === 'string') {
      this.#base64(`The data of ${type === 'image' ? 'an image' : 'audio'}`, data, [...path, 'data']);
    }
    if (typeof blob === 'string') this.#base64('The blob of a resource', blob, [...path, 'blob']);
    for (const key of leading) {
      if (typeof value[key] !== 'object') continue;
      // Its keys are the server's.
      const inner = key === 'inputRequests' ? namedValues(value[key]) : [[[], value[key]] as const];
      for (const [under, one] of inner) this.value(one, [...path, key, ...under], depth + 1);
    }
  }

  #base64(what: string, text: string, path: Path): void {
    const { fault } = readBase64(text);
    if (fault === null) return;
    const words = `${what} is not base64: ${fault}`;
    this.found.push(newFinding('content/invalid-base64', this.#ref, words, { pointer: pointerOf(path) }));
  }
}

const namedValues = (value: unknown): readonly (readonly [Path, unknown])[] =>
  isObject(value) ? Object.entries(value).map(([name, one]) => [[name], one] as const) : [];
