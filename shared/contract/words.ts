import { z } from 'zod';
import { commands, events } from './index.ts';

let words: string | undefined;

/**
 * Whether a text is a key or a fixed value of the contract, or a part of one. Nothing is replaced by such a text, because
 * what we write ourselves has it, and programs read it.
 */
export function isContractWord(text: string): boolean {
  words ??= [
    ...wordsOf([...Object.values(commands).map(({ result }) => result), ...Object.values(events)]),
  ].join('\n');
  return !text.includes('\n') && words.includes(text);
}

/** The keys of all objects in the schemas, and the values of their enums and literals. */
function wordsOf(schemas: readonly unknown[]): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const waiting = [...schemas];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (!(next instanceof z.ZodType)) {
      waiting.push(...Object.values(next));
      continue;
    }
    if (next instanceof z.ZodObject) for (const key of Object.keys(next.shape)) found.add(key);
    if (next instanceof z.ZodEnum) for (const value of next.options) found.add(String(value));
    if (next instanceof z.ZodLiteral) for (const value of next.values) found.add(String(value));
    if (next instanceof z.ZodLazy) waiting.push(next.unwrap());
    waiting.push(next.def);
  }
  return found;
}
