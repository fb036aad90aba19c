import { open } from 'node:fs/promises';
import { z } from 'zod';
import { type Fault, messageOf } from '#shared/contract/fault.ts';
import { TRACE_FORMAT, TRACE_VERSION, type TraceHeader, traceHeaderSchema } from '#shared/trace/record.ts';

/** Bytes the first line of a file may have to be looked at. */
const LONGEST_HEADER = 1024 * 1024;
/** Bytes that nearly every header has room in. */
const USUAL_HEADER = 4096;
const NEWLINE = 0x0a;

/** What the header of every version says. */
const claimSchema = z.object({ format: z.literal(TRACE_FORMAT), version: z.number() });

export type HeaderReading = { readonly header: TraceHeader } | { readonly fault: Fault };

/** What a file says of itself in its first line; nothing behind that is read. Never rejects. */
export async function readHeaderLine(path: string): Promise<HeaderReading> {
  let line: Buffer | null;
  try {
    line = await firstLine(path);
  } catch (error) {
    const next = 'Check that it is still there and may be read by you.';
    return { fault: cannotOpen('The file cannot be read.', messageOf(error), next) };
  }
  if (line === null)
    return { fault: noTrace('It has no first line, or one longer than any header of a trace.') };
  return headerOf(line.toString());
}

function headerOf(line: string): HeaderReading {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { fault: noTrace(`Its first line is no JSON: ${messageOf(error)}`) };
  }
  const claim = claimSchema.safeParse(value);
  if (!claim.success) return { fault: noTrace('Its first line is no header of a trace.') };
  if (claim.data.version > TRACE_VERSION) return { fault: tooNew(claim.data.version) };
  const parsed = traceHeaderSchema.safeParse(value);
  if (parsed.success) return { header: parsed.data };
  const next = 'What was recorded is in the lines below it: open a copy in a text editor.';
  return { fault: cannotOpen('The header of the trace is damaged.', parsed.error.message, next) };
}

/** The first line without its newline; null when there is none within bounds. */
async function firstLine(path: string): Promise<Buffer | null> {
  const file = await open(path);
  try {
    let bytes = Buffer.alloc(USUAL_HEADER);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
      const end = bytes.subarray(filled, filled + bytesRead).indexOf(NEWLINE);
      if (end !== -1) return bytes.subarray(0, filled + end);
      filled += bytesRead;
      if (bytesRead === 0 || filled >= LONGEST_HEADER) return null;
      if (filled === bytes.length) bytes = Buffer.concat([bytes], Math.min(LONGEST_HEADER, filled * 8));
    }
  } finally {
    await file.close();
  }
}

const cannotOpen = (what: string, why: string, next: string): Fault => ({
  code: 'trace-unreadable',
  what,
  why,
  next,
});

const noTrace = (why: string): Fault => ({
  code: 'no-trace',
  what: 'This file is no trace.',
  why,
  next: 'Nothing in it was changed. A file that was just begun may have its header in a moment.',
});

const tooNew = (version: number): Fault => ({
  code: 'trace-too-new',
  what: `This trace was written by a newer Sightglass, in version ${version} of the format.`,
  why: `This Sightglass reads up to version ${TRACE_VERSION}.`,
  next: 'Open it with a newer Sightglass. Nothing in it was changed.',
});
