import { setTimeout as delay } from 'node:timers/promises';
import type { InboxAnswer, InboxEntry } from '#shared/contract/inbox.ts';
import type { ReplayedCall, ReplayRun, SkipReason } from '#shared/contract/replay.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { type TestedSession, wholeResult } from '#testing/tested-session.ts';
import { secretPlaceholder } from './compare/noise.ts';
import { Provenance } from './provenance.ts';

/** What a recording has to be replayed. */
export interface Recording {
  readonly calls: readonly TracedCall[];
  /** What the server asked of the user, with the answers. */
  readonly questions: readonly InboxEntry[];
}

export interface ReplayOptions {
  readonly rows: readonly number[] | null;
  readonly allowWrites: boolean;
  readonly speed: number | null;
  readonly stop: AbortSignal;
  readonly onAdvance: (done: number, total: number) => void;
}

/** The longest pause between two calls, in milliseconds. */
const MAX_PAUSE = 60_000;

/** Sends the calls of a recording to a session, one after the other. */
export async function replayCalls(
  recording: Recording,
  session: TestedSession,
  answers: RecordedAnswers,
  options: ReplayOptions,
): Promise<ReplayRun> {
  const chosen = options.rows === null ? null : new Set(options.rows);
  const isSent = ({ direction, method }: TracedCall): boolean =>
    // Tasks are followed by the session itself, with the ids of this run.
    direction === 'out' && !method.startsWith('tasks/');
  const calls = recording.calls.filter((call) => isSent(call) && chosen?.has(call.row) !== false);
  const provenance = new Provenance(recording.calls);
  const replayed: ReplayedCall[] = [];
  let previous: TracedCall | null = null;
  for (const call of calls) {
    const skipped = options.stop.aborted ? 'stopped' : whySkipped(call, session, options.allowWrites);
    const about = { recordedRow: call.row, method: call.method, target: call.target };
    if (skipped === null) {
      if (options.speed !== null && previous !== null) await pause(previous, call, options);
      const { params, replaced } = provenance.applyTo(call.params ?? '{}');
      const row = await send(session, call, params, provenance);
      replayed.push({ ...about, row, skipped: null, replaced });
      previous = call;
    } else replayed.push({ ...about, row: null, skipped, replaced: [] });
    options.onAdvance(replayed.length, calls.length);
  }
  return { calls: replayed, values: provenance.values, ...answers.counts };
}

function whySkipped(call: TracedCall, session: TestedSession, allowWrites: boolean): SkipReason | null {
  if (call.outcome === 'none') return 'no-response';
  if (call.params?.match(secretPlaceholder) != null) return 'secret';
  if (call.method !== 'tools/call' || allowWrites) return null;
  const entry = session.tools.entries.find((one) => one.usable && one.tool.name === call.target);
  if (entry?.usable !== true) return 'not-listed';
  return entry.tool.annotations?.readOnlyHint === true ? null : 'writes';
}

async function send(
  session: TestedSession,
  call: TracedCall,
  params: string,
  provenance: Provenance,
): Promise<number | null> {
  const started = session.calls.startRequest(call.method, params, { timeout: null });
  const ended = await session.calls.ended(started.id);
  const result = await wholeResult(session, started.id);
  if (result !== null) provenance.takeResponse(call.row, result);
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
  readonly #taken = new Set<string>();
  #answered = 0;
  #declined = 0;

  constructor(questions: readonly InboxEntry[]) {
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
    if (recorded?.answer == null) {
      this.#declined++;
      return { kind: 'decline' };
    }
    this.#answered++;
    return recorded.answer.content;
  }
}
