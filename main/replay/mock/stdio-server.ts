import type { Readable, Writable } from 'node:stream';
import { messageTextIn, readText } from '#trace/units/read-unit.ts';
import { Conversation, type Outlet } from './conversation.ts';
import { firstHalf } from './faults/fault-injector.ts';
import type { Mock } from './mock.ts';

/** Limit of bytes of a line; a client that sends more gets no answer to it. */
const MAX_LINE = 64 * 1024 * 1024;

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends it before the client does. */
  readonly signal: AbortSignal;
}

/** Serves one client over its standard streams; resolves when the client has closed its end and all answers are written. */
export async function serveStdio(mock: Mock, { input, output, signal }: Streams): Promise<void> {
  const send = (text: string): void => {
    if (!isCut) output.write(`${text}\n`);
  };
  let isCut = false;
  // A request that was not answered stays unanswered, as in the recording.
  const over = new AbortController();
  const cut = (text: string): void => {
    isCut = true;
    output.write(firstHalf(text), () => over.abort());
  };
  const outlet: Outlet = { send, respond: send, cut, end: () => undefined };
  const conversation = new Conversation(mock, outlet);
  const lines = new Lines((line) => takeUnit(line, (text) => conversation.take(text, outlet), send));
  await new Promise<void>((resolve) => {
    input.on('data', (bytes: Buffer) => lines.push(bytes));
    input.once('end', resolve).once('error', () => resolve());
    const stopped = AbortSignal.any([signal, over.signal]);
    stopped.addEventListener('abort', () => resolve(), { once: true });
    if (stopped.aborted) resolve();
  });
  lines.end();
  await (signal.aborted || over.signal.aborted ? conversation.close() : conversation.finish());
  input.destroy();
}

/** Passes on each message of a line or a body; answers what is no message with the error of JSON-RPC. */
export function takeUnit(
  unit: string,
  take: (message: string) => void,
  reject: (error: string) => void,
): void {
  if (unit.trim() === '') return;
  const reading = readText(unit);
  if (reading.type === 'noise') {
    reject(rejection(-32700, 'Parse error'));
    return;
  }
  for (const [position, envelope] of reading.envelopes.entries()) {
    if ('message' in envelope) take(messageTextIn(unit, position));
    else reject(rejection(-32600, 'Invalid Request'));
  }
}

const rejection = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });

/** Cuts a stream into lines of UTF-8; what follows the last newline is a line, too. */
export class Lines {
  readonly #take: (line: string) => void;
  #parts: Buffer[] = [];
  #held = 0;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  push(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      this.#hold(rest.subarray(0, end));
      this.end();
      rest = rest.subarray(end + 1);
    }
    this.#hold(rest);
  }

  end(): void {
    if (this.#held <= MAX_LINE) this.#take(Buffer.concat(this.#parts).toString('utf8'));
    this.#parts = [];
    this.#held = 0;
  }

  #hold(part: Buffer): void {
    this.#held += part.length;
    if (this.#held <= MAX_LINE) this.#parts.push(part);
  }
}
