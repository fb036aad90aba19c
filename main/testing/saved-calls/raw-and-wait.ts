import type { Params, Result } from '#shared/contract/index.ts';
import type { RowDetail } from '#shared/contract/trace.ts';
import { type FileError } from '#shared/contract/saved-calls.ts';
import { memberText } from '#shared/json/members.ts';
import { inRawText } from '#shared/json/variables.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import type { EndedStep } from '#testing/tested-session.ts';
import { MAX_LOOKED_AT, rowsFrom, type TraceRows } from './check-messages.ts';
import type { ReadCall } from './read-test-file.ts';

/** What the engine has of the trace of a session and its connection. */
export interface WireOptions {
  readonly traceRows: TraceRows;
  readonly detail: (sessionId: string, row: number) => Promise<RowDetail> | RowDetail;
  /** Sends a text as one unit. @throws FaultError if there is no connection */
  readonly sendRaw: (
    params: Params<'sessions/send'>,
  ) => Promise<Result<'sessions/send'>> | Result<'sessions/send'>;
  /** Calls back when the trace of a session has grown, with the first row that has changed, until the returned function is called. */
  readonly onGrowth: (sessionId: string, listener: (changedFrom: number) => void) => () => void;
}

/** The wire of one session: what steps send as it is, and wait for. */
export class Wire {
  readonly #options: WireOptions;
  readonly #sessionId: string;

  constructor(options: WireOptions, sessionId: string) {
    this.#options = options;
    this.#sessionId = sessionId;
  }

  /** The rows of the trace from this one on. */
  rowsFrom = (row: number): Promise<readonly TraceRow[]> =>
    rowsFrom(this.#options.traceRows, this.#sessionId, row);

  /** The row that the next message gets. */
  async nextRow(): Promise<number> {
    const page = { sessionId: this.#sessionId, filterId: null, from: 0, count: 1 };
    return (await this.#options.traceRows(page)).total;
  }

  /** Sends a text; returns its row. @throws FaultError if there is no connection */
  async send(text: string): Promise<number> {
    const bytes = { as: 'text', text } as const;
    return (await this.#options.sendRaw({ sessionId: this.#sessionId, bytes, headers: null })).row;
  }

  /** The message of a row, or null if it is too long to be compared. */
  async message(row: number): Promise<string | null> {
    const { text, truncated } = await this.#options.detail(this.#sessionId, row);
    return truncated ? null : text;
  }

  /** The first row from one on that fits, as soon as there is one; null when the time is over. @param limit milliseconds */
  async until(from: number, limit: number, fits: (row: TraceRow) => boolean): Promise<TraceRow | null> {
    let wake: () => void = () => undefined;
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      wake();
    }, limit);
    let next = from;
    // A row may be completed after it was read.
    const stop = this.#options.onGrowth(this.#sessionId, (changedFrom) => {
      next = Math.max(from, Math.min(next, changedFrom));
      wake();
    });
    try {
      for (;;) {
        // Created before the rows are read, so that no growth is missed.
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const wasOver = isOver;
        const first = next;
        next = Number.POSITIVE_INFINITY;
        const rows = await this.rowsFrom(first);
        const found = rows.find(fits);
        if (found !== undefined) return found;
        next = Math.min(next, first + rows.length);
        if (rows.length >= MAX_LOOKED_AT) continue;
        if (wasOver) return null;
        if (!isOver) await woken;
      }
    } finally {
      clearTimeout(timer);
      stop();
    }
  }
}

/** Where a run is in the trace: a step that waits takes what came after this row. */
export interface RunPlace {
  row: number;
}

/** What a step brought. */
interface StepResult {
  readonly ended: EndedStep;
  /** JSON text: the result of a response, or the params of a notification; null if the step got neither. */
  readonly result: string | null;
  readonly failure: FileError | null;
}

/** Milliseconds to wait, where the file does not say. */
const DEFAULT_LIMIT = 10_000;

/** Sends the text of a step as it is, and waits for its response if the step expects anything. @throws FaultError */
export async function sendRawStep(
  call: ReadCall,
  variables: ReadonlyMap<string, string>,
  wire: Wire,
  place: RunPlace,
): Promise<StepResult> {
  const row = await wire.send(inRawText(call.arguments, variables));
  place.row = row + 1;
  const nothing = { requestRow: row, responseRow: null, duration: null };
  if (!call.expectsResponse) return { ended: endedAs('ok', nothing), result: null, failure: null };
  const response = await wire.until(row + 1, limitOf(call), (one) => isResponseTo(row, one));
  if (response === null) return { ended: endedAs('timed-out', nothing), result: null, failure: null };
  const [sent] = await wire.rowsFrom(row);
  const facts = {
    requestRow: row,
    responseRow: response.row,
    duration: response.at - (sent?.at ?? response.at),
  };
  const message = await wire.message(response.row);
  if (message === null) return { ended: endedAs('ok', facts), result: null, failure: tooLong(call) };
  const error = memberText(message, ['error']);
  if (error !== null) {
    const { code, message: text, data } = readError(error);
    return {
      ended: { ...endedAs('protocol-error', facts), error: { code, message: text, data } },
      result: null,
      failure: null,
    };
  }
  const result = memberText(message, ['result']);
  const isToolError = result !== null && memberText(result, ['isError']) === 'true';
  return { ended: endedAs(isToolError ? 'tool-error' : 'ok', facts), result, failure: null };
}

/** Waits for a notification that came since the step before began, and that no other step has taken. */
export async function waitStep(call: ReadCall, wire: Wire, place: RunPlace): Promise<StepResult> {
  const began = performance.now();
  const found = await wire.until(
    place.row,
    limitOf(call),
    ({ direction, kind, method }) => direction === 'in' && kind === 'notification' && method === call.method,
  );
  if (found === null) {
    const nothing = { requestRow: null, responseRow: null, duration: null };
    return { ended: endedAs('timed-out', nothing), result: null, failure: null };
  }
  place.row = found.row + 1;
  const duration = (performance.now() - began) * 1000;
  const ended = endedAs('ok', { requestRow: found.row, responseRow: null, duration });
  const message = await wire.message(found.row);
  if (message === null) return { ended, result: null, failure: tooLong(call) };
  return { ended, result: memberText(message, ['params']) ?? '{}', failure: null };
}

/** The response to what was sent; also an error whose id is null, because the text could not be read (JSON-RPC 2.0 section 5). */
const isResponseTo = (sent: number, { direction, kind, pair, id }: TraceRow): boolean =>
  direction === 'in' &&
  (kind === 'result' || kind === 'error') &&
  (pair === sent || (kind === 'error' && pair === null && (id === null || id === 'null')));

function readError(json: string): { code: number; message: string; data: unknown } {
  const value: unknown = JSON.parse(json);
  const member = (name: string): unknown => Object(value)[name];
  return { code: Number(member('code')), message: String(member('message')), data: member('data') ?? null };
}

const limitOf = ({ expect }: ReadCall): number => expect.duration ?? DEFAULT_LIMIT;

const endedAs = (
  state: EndedStep['state'],
  facts: Pick<EndedStep, 'requestRow' | 'responseRow' | 'duration'>,
): EndedStep => ({
  tool: null,
  state,
  error: null,
  fault: null,
  outputValidation: null,
  rounds: [],
  ...facts,
});

const tooLong = ({ line, column }: ReadCall): FileError => ({
  line,
  column,
  message: 'the message is longer than 1 MiB, and is not compared',
});
