import { setTimeout as delay } from 'node:timers/promises';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import type { ReplayedCall, ReplayRun, SkipReason, StepAnswer } from '#shared/contract/replay.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { memberText } from '#shared/json/members.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { requestText, whyMayWrite } from '#testing/called-tools.ts';
import { type TestedSession, wholeResult } from '#testing/tested-session.ts';
import { Provenance } from './provenance.ts';
import type { RecordedSecrets } from './recorded-secrets.ts';

/** What a recording has to be replayed. */
export interface Recording {
  readonly calls: readonly TracedCall[];
  readonly secrets: RecordedSecrets;
}

export interface ReplayOptions {
  readonly rows: readonly number[] | null;
  readonly allowWrites: boolean;
  readonly speed: number | null;
  /** Calls that may be under way at the same time. */
  readonly concurrency: number;
  /** Asks before each call; null to ask nothing. */
  readonly askBefore: ((call: TracedCall, params: string) => Promise<StepAnswer>) | null;
  readonly stop: AbortSignal;
  readonly onAdvance: (done: number, total: number) => void;
  /** Whether the user left a call out. */
  readonly isLeftOut: (call: TracedCall) => boolean;
}

/** The longest pause between two calls, in milliseconds. */
const MAX_PAUSE = 60_000;

/** Sends the calls of a recording to a session in their order. A call waits for those whose values it uses. */
export async function replayCalls(
  { calls: recorded, secrets }: Recording,
  session: TestedSession,
  answers: RecordedAnswers,
  options: ReplayOptions,
): Promise<ReplayRun> {
  const chosen = options.rows === null ? null : new Set(options.rows);
  const calls = recorded.filter((call) => isReplayable(call) && chosen?.has(call.row) !== false);
  const provenance = new Provenance(recorded);
  const underWay = new UnderWay();
  const startedAt = performance.now();
  const replayed: ReplayedCall[] = [];
  let done = 0;
  let isStopped = false;
  let previous: TracedCall | null = null;
  const end = (place: number, call: ReplayedCall) => {
    replayed[place] = call;
    options.onAdvance(++done, calls.length);
  };
  for (const [place, call] of calls.entries()) {
    const about = { recordedRow: call.row, method: call.method, target: call.target };
    let skipped = whySkipped(call, session, secrets, options);
    if (skipped === null) {
      await underWay.atMost(options.concurrency - 1);
      const origins = options.concurrency > 1 ? provenance.originsOf(call.params) : [];
      if (origins.length > 0) await underWay.ended(origins);
      if (options.speed !== null && previous !== null) await pause(previous, call, options);
    }
    const { params, replaced } = provenance.applyTo(call.params ?? '{}');
    const filled = skipped === null ? secrets.fill(params) : params;
    skipped ??= whyNotAllowed(call.method, filled, session, options);
    // A URI that an earlier response brought may be one that the user left out.
    if (
      skipped === null &&
      replaced.includes('$.uri') &&
      options.isLeftOut({ ...call, target: uriOf(params) })
    )
      skipped = 'declined';
    if (skipped === null && options.askBefore !== null && !isStopped && !options.stop.aborted) {
      const answer = await options.askBefore(call, params);
      if (answer === 'skip') skipped = 'declined';
      isStopped = answer === 'stop';
    }
    if (isStopped || options.stop.aborted) skipped = 'stopped';
    if (skipped === null) {
      const sending = send(session, call, filled, provenance);
      underWay.add(
        provenance.sourcesOf(call.row).length > 0 ? call.row : null,
        sending.then((row) => end(place, { ...about, row, skipped: null, replaced })),
      );
      previous = call;
    } else end(place, { ...about, row: null, skipped, replaced: [] });
  }
  await underWay.atMost(0);
  const duration = performance.now() - startedAt;
  return { calls: replayed, values: provenance.values, ...answers.counts, duration };
}

/** Calls that were sent and have not ended. */
class UnderWay {
  /** Those whose values later calls use, by the rows of their recorded requests. */
  readonly #used = new Map<number, Promise<void>>();
  #count = 0;
  #failure: { readonly error: unknown } | null = null;
  #onEnd: () => void = () => undefined;

  /** @param usedRow the row of the recorded request if later calls use values of its response */
  add(usedRow: number | null, call: Promise<void>): void {
    this.#count++;
    const end = () => {
      this.#count--;
      if (usedRow !== null) this.#used.delete(usedRow);
      this.#onEnd();
    };
    const fail = (error: unknown) => {
      this.#failure ??= { error };
      end();
    };
    const ended = call.then(end, fail);
    if (usedRow !== null) this.#used.set(usedRow, ended);
  }

  /** Waits until no more than this many are under way. Rejects if one failed. */
  async atMost(count: number): Promise<void> {
    while (this.#count > count) {
      await new Promise<void>((resolve) => {
        this.#onEnd = resolve;
      });
    }
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Waits until these have ended. */
  async ended(rows: readonly number[]): Promise<void> {
    for (const row of rows) await this.#used.get(row);
  }
}

/** Whether a call can be made again: the server's requests cannot. */
export const isReplayable = ({ direction }: TracedCall): boolean => direction === 'out';

function whySkipped(
  call: TracedCall,
  session: TestedSession,
  secrets: RecordedSecrets,
  options: ReplayOptions,
): SkipReason | null {
  if (call.outcome === 'none') return 'no-response';
  if (call.params !== null && secrets.isMissingIn(call.params)) return 'secret';
  if (options.isLeftOut(call)) return 'declined';
  return whyNotAllowed(call.method, call.params, session, options);
}

/** Judges what is sent, because the recording may be anybody's, and a server may read it otherwise than we do. */
const whyNotAllowed = (
  method: string,
  params: string | null,
  session: TestedSession,
  { allowWrites }: ReplayOptions,
): SkipReason | null => (allowWrites ? null : whyMayWrite(session, requestText(method, params)));

function uriOf(params: string): string | null {
  const uri: unknown = JSON.parse(memberText(params, ['uri']) ?? 'null');
  return typeof uri === 'string' ? uri : null;
}

async function send(
  session: TestedSession,
  call: TracedCall,
  params: string,
  provenance: Provenance,
): Promise<number | null> {
  const ended = await session.calls.runRequest(call.method, params, { timeout: null });
  // Reading a result from the trace takes time, and later calls use values of few.
  if (provenance.sourcesOf(call.row).length > 0) {
    const result = await wholeResult(session, ended.id);
    if (result !== null) provenance.takeResponse(call.row, result);
  }
  if (ended.taskId !== null) provenance.takeTask(call.row, ended.taskId);
  return ended.requestRow;
}

async function pause(previous: TracedCall, call: TracedCall, { speed, stop }: ReplayOptions): Promise<void> {
  const recorded = (call.at - previous.at - (previous.duration ?? 0)) / 1000;
  const wait = Math.min(MAX_PAUSE, recorded / (speed ?? 1));
  if (wait > 0) await delay(wait, undefined, { signal: stop }).catch(() => undefined);
}

/** Answers what the server asks in a run as it was answered in the recording. */
export class RecordedAnswers {
  readonly #left: InboxEntry[];
  readonly #secrets: RecordedSecrets;
  readonly #taken = new Set<string>();
  #answered = 0;
  #declined = 0;

  constructor(questions: readonly InboxEntry[], secrets: RecordedSecrets) {
    this.#secrets = secrets;
    this.#left = questions.filter(({ answer, by }) => answer !== null && by !== 'error');
  }

  get counts(): Pick<ReplayRun, 'answered' | 'declined'> {
    return { answered: this.#answered, declined: this.#declined };
  }

  /** The answer to a question that waits; null if it was given one already. */
  answerTo({ id, method, params, state, by }: InboxEntry): InboxAnswer | null {
    if (state !== 'waiting' || by === 'error' || this.#taken.has(id)) return null;
    this.#taken.add(id);
    const same = this.#left.findIndex((one) => one.method === method && isSameJson(one.params, params));
    const place = same === -1 ? this.#left.findIndex((one) => one.method === method) : same;
    const [recorded] = place === -1 ? [] : this.#left.splice(place, 1);
    const content = recorded?.answer?.content ?? null;
    // A placeholder is never sent in place of the secret.
    if (content === null || (content.kind === 'result' && this.#secrets.isMissingIn(content.json))) {
      this.#declined++;
      return { kind: 'decline' };
    }
    this.#answered++;
    return content.kind === 'result' ? { ...content, json: this.#secrets.fill(content.json) } : content;
  }
}
