import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { FaultError } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { TRACE_FORMAT, type TraceHeader, traceHeaderSchema, TRACE_VERSION } from '#shared/trace/record.ts';
import * as faults from './faults.ts';

/** Limit of bytes of a header. */
export const MAX_HEADER = 1024 * 1024;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export interface ReadHeader {
  readonly header: TraceHeader;
  /** Upgrades the records of an older version; null if not needed. */
  readonly upgrade: Upgrade | null;
  /** The position of the first record, in bytes. */
  readonly end: number;
}

/**
 * Reads the header of a trace. Checks the version first, because everything else depends on it.
 *
 * @param start the first `MAX_HEADER` bytes of the file, or the whole file
 * @throws FaultError if it is not a readable trace
 */
export function readHeader(path: string, start: Buffer): ReadHeader {
  if (start.length === 0) throw new FaultError(faults.isEmpty(path));
  const newline = start.indexOf(NEWLINE);
  const begin = start.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? BYTE_ORDER_MARK.length
    : 0;
  const text = start.toString('utf8', begin, newline === -1 ? start.length : newline);
  const line = parsed(text);
  const claim = isObject(line) && line.format === TRACE_FORMAT ? line : null;
  if (claim === null) {
    const isTorn = newline === -1 && line === undefined && start.length < MAX_HEADER;
    if (isTorn && beginsLikeHeader(text)) throw new FaultError(faults.tornHeader(path));
    throw new FaultError(faults.foreign(path, seemsToBe(start, line)));
  }
  const { version } = claim;
  if (typeof version !== 'number' || version < 1) {
    throw new FaultError(faults.badHeader(path, '"version" is not a version number.'));
  }
  if (!isReadable(version)) throw new FaultError(faults.tooNew(path, version, writerOf(claim)));
  const upgrade = upgradeFrom(version);
  const header = traceHeaderSchema.safeParse(upgrade === null ? claim : upgrade.header(claim));
  if (!header.success) throw new FaultError(faults.badHeader(path, z.prettifyError(header.error)));
  return { header: header.data, upgrade, end: newline === -1 ? start.length : newline + 1 };
}

/** Whether this could be the beginning of a header. */
const beginsLikeHeader = (text: string): boolean => text.startsWith(START) || START.startsWith(text);
const START = `{"format":"${TRACE_FORMAT}"`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The app that claims to have written the file; untrusted. */
function writerOf({ app }: Record<string, unknown>): string | null {
  if (!isObject(app) || typeof app.name !== 'string') return null;
  return `${app.name} ${typeof app.version === 'string' ? app.version : ''}`.trim().slice(0, 100);
}

/** Guesses the kind of a file that is not a trace by its first bytes: `a HAR file`. */
function seemsToBe(start: Buffer, firstLine: unknown): string {
  const known = signatures.find(([signature]) => start.subarray(0, signature.length).equals(signature));
  if (known !== undefined) return known[1];
  if (firstLine !== undefined) return jsonKind(firstLine);
  // The last character may be incomplete.
  if (start.includes(0) || !isUtf8(start.subarray(0, wholeCharacters(start)))) return 'a binary file';
  const text = start.toString('utf8').replace('\ufeff', '').trimStart();
  return textKinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'a text file';
}

const signatures: readonly (readonly [Buffer, string])[] = [
  [Buffer.from([0x1f, 0x8b]), 'a file packed with gzip: unpack it first'],
  [Buffer.from('PK\u0003\u0004', 'latin1'), 'a ZIP archive: unpack it first'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'a file packed with Zstandard: unpack it first'],
  [Buffer.from([0xff, 0xfe]), 'text in UTF-16: save it as UTF-8 first'],
  [Buffer.from([0xfe, 0xff]), 'text in UTF-16: save it as UTF-8 first'],
  [Buffer.from('SQLite format 3\0', 'latin1'), 'a SQLite database'],
  [Buffer.from('%PDF-', 'latin1'), 'a PDF document'],
  [Buffer.from('\x89PNG', 'latin1'), 'an image'],
  [Buffer.from('\x7fELF', 'latin1'), 'a program'],
];

/** Kinds of text, by how the text begins; specific kinds first. */
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

/** The number of bytes in complete characters. */
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

/** Turns a parsed line of one version of the format into what the next version would have written. */
export interface Upgrade {
  header(header: unknown): unknown;
  record(record: unknown): unknown;
}

/** Upgrades from version 1 to 2, from 2 to 3 and so on. The types of an old version are kept unchanged beside its upgrade. */
const upgrades: readonly Upgrade[] = [];

/** The function that upgrades lines of a version to the newest one; null if not needed. */
export function upgradeFrom(version: number, steps: readonly Upgrade[] = upgrades): Upgrade | null {
  const ahead = steps.slice(version - 1);
  if (ahead.length === 0) return null;
  return {
    header: (header) => ahead.reduce((line, step) => step.header(line), header),
    record: (record) => ahead.reduce((line, step) => step.record(line), record),
  };
}

/** Whether lines of this version can be read at all. */
const isReadable = (version: number): boolean =>
  Number.isInteger(version) && version >= 1 && version <= TRACE_VERSION;
