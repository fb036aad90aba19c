import { isUtf8 } from 'node:buffer';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** Says what a file that is no trace seems to be, by its first bytes: `a HAR file`. */
export function seemsToBe(start: Buffer, firstLine: unknown): string {
  const known = signatures.find(([signature]) => start.subarray(0, signature.length).equals(signature));
  if (known !== undefined) return known[1];
  if (firstLine !== undefined) return jsonKind(firstLine);
  // The last character may be cut in two.
  if (start.includes(0) || !isUtf8(start.subarray(0, wholeCharacters(start)))) return 'a binary file';
  const text = start.toString('utf8').replace('\ufeff', '').trimStart();
  return textKinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'a text file';
}

const signatures: readonly (readonly [Buffer, string])[] = [
  [Buffer.from([0x1f, 0x8b]), 'a file packed with gzip: unpack it first'],
  [Buffer.from('PK\u0003\u0004', 'latin1'), 'a ZIP archive: unpack it first'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'a file packed with Zstandard: unpack it first'],
  [Buffer.from('SQLite format 3\0', 'latin1'), 'a SQLite database'],
  [Buffer.from('%PDF-', 'latin1'), 'a PDF document'],
  [Buffer.from('\x89PNG', 'latin1'), 'an image'],
  [Buffer.from('\x7fELF', 'latin1'), 'a program'],
];

/** By how the text begins, the particular before the general. */
const textKinds: readonly (readonly [RegExp, string])[] = [
  [/^\{\s*"log"\s*:/, 'a HAR file'],
  [/^\{[^]{0,2000}"mcpServers"\s*:/, 'the configuration of an MCP client'],
  [/^[[{]/, 'JSON of another kind'],
  [/^<(!doctype html|html)/i, 'a page of HTML'],
  [/^</, 'XML or HTML'],
];

/** @param line the JSON value of the first line */
function jsonKind(line: unknown): string {
  const [first] = Array.isArray(line) ? line : [line];
  if (!isObject(first)) return 'JSON of another kind';
  if (first.jsonrpc === '2.0') return 'a list of bare JSON-RPC messages, without what a trace knows of them';
  if (isObject(first.log)) return 'a HAR file';
  if (isObject(first.mcpServers)) return 'the configuration of an MCP client';
  return typeof first.seq === 'number' && typeof first.kind === 'string'
    ? 'a trace that has lost its first line, the header'
    : 'JSON of another kind';
}

/** How many bytes hold whole characters. */
function wholeCharacters(bytes: Buffer): number {
  let end = bytes.length;
  for (let back = 1; back <= 3 && end - back >= 0; back++) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      end -= back;
      break;
    }
  }
  return end;
}
