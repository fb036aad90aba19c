import { z } from 'zod';
import { faultSchema } from '#shared/contract/fault.ts';
import { outcomeSchema } from '#shared/contract/index.ts';
import { openedTraceSchema } from '#shared/contract/traces.ts';

/** The task of a reader thread. */
export const readerTaskSchema = z.object({
  sessionId: z.string(),
  path: z.string(),
  /** Whether an index may be kept beside the file. */
  keepsIndex: z.boolean(),
});
export type ReaderTask = z.infer<typeof readerTaskSchema>;

/** Messages of the engine to a reader thread. */
export const toReaderSchema = z.discriminatedUnion('tell', [
  z.object({ tell: z.literal('command'), id: z.number().int(), command: z.string(), params: z.unknown() }),
  /** The file was renamed. */
  z.object({ tell: z.literal('moved'), path: z.string() }),
  z.object({ tell: z.literal('close') }),
]);
export type ToReader = z.infer<typeof toReaderSchema>;

/** Messages of a reader thread to the engine. */
export const fromReaderSchema = z.discriminatedUnion('tell', [
  /** The file cannot be opened; nothing else follows. */
  z.object({ tell: z.literal('failed'), fault: faultSchema }),
  /** The first of these says that it is open. */
  z.object({ tell: z.literal('opened'), opened: openedTraceSchema }),
  z.object({ tell: z.literal('outcome'), id: z.number().int(), outcome: outcomeSchema }),
  z.object({ tell: z.literal('event'), event: z.string(), payload: z.unknown() }),
]);
export type FromReader = z.infer<typeof fromReaderSchema>;

/**
 * The file that a reader thread runs: the TypeScript source when running from sources, otherwise the built file
 * beside the entries.
 */
export function readerFile(own: string = import.meta.url): URL {
  if (own.endsWith('.ts')) return new URL('../../trace-worker.ts', own);
  return new URL(own.includes('/chunks/') ? '../trace-worker.js' : './trace-worker.js', own);
}
