import { z } from 'zod';
import { FaultError } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { TRACE_FORMAT, type TraceHeader, traceHeaderSchema } from '#shared/trace/record.ts';
import * as faults from './faults.ts';
import { seemsToBe } from './seems-to-be.ts';
import { isReadable, type Upgrade, upgradeFrom } from './upgrade.ts';

/** Bytes at the start of a file among which the header has to end. */
export const LONGEST_HEADER = 1024 * 1024;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

export interface ReadHeader {
  readonly header: TraceHeader;
  /** What turns the records of an older version into those of this one. */
  readonly upgrade: Upgrade | null;
  /** Where the first record begins, in bytes. */
  readonly end: number;
}

/**
 * Reads the header of a trace. Of the version that a file claims depends how all else in it is read, so that is
 * looked at first.
 *
 * @param start the first `LONGEST_HEADER` bytes of the file, or all there are
 * @throws FaultError when it is no trace, or none that can be read
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
    const isTorn = newline === -1 && line === undefined && start.length < LONGEST_HEADER;
    if (isTorn && beginsLikeHeader(text)) throw new FaultError(faults.tornHeader(path));
    throw new FaultError(faults.foreign(path, seemsToBe(start, line)));
  }
  const { version } = claim;
  if (typeof version !== 'number' || version < 1) {
    throw new FaultError(faults.badHeader(path, '"version" is no number of a version.'));
  }
  if (!isReadable(version)) throw new FaultError(faults.tooNew(path, version, writerOf(claim)));
  const upgrade = upgradeFrom(version);
  const header = traceHeaderSchema.safeParse(upgrade === null ? claim : upgrade.header(claim));
  if (!header.success) throw new FaultError(faults.badHeader(path, z.prettifyError(header.error)));
  return { header: header.data, upgrade, end: newline === -1 ? start.length : newline + 1 };
}

/** Whether this is how a header begins, however little there is of it. */
const beginsLikeHeader = (text: string): boolean => text.startsWith(START) || START.startsWith(text);
const START = `{"format":"${TRACE_FORMAT}"`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Which app says to have written it; the words of a file. */
function writerOf({ app }: Record<string, unknown>): string | null {
  if (!isObject(app) || typeof app.name !== 'string') return null;
  return `${app.name} ${typeof app.version === 'string' ? app.version : ''}`.trim().slice(0, 100);
}
