import type { Comparison } from '#shared/contract/comparison.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import type {
  RebuildOutcome,
  RerunCall,
  RerunChoice,
  RerunSource,
  ToRestore,
} from '#shared/contract/rebuild.ts';
import type { ReplayRun } from '#shared/contract/replay.ts';
import type { CallOutcome, TestFile } from '#shared/contract/saved-calls.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import type { Catalog } from '#replay/compare/catalog-changes.ts';
import type { ComparedSession } from '#replay/compare/compare-sessions.ts';
import type { CompareSides } from '#replay/compare/compare-sides.ts';
import { RecordedSecrets } from '#replay/recorded-secrets.ts';
import { RecordedAnswers, replayCalls } from '#replay/replay-calls.ts';
import type { TestedSession } from '#testing/tested-session.ts';
import { type Choosable, callsOfFile, callsToRerun, keyOfCall, Rerun } from './rerun.ts';

/** What is needed of the sessions of a server and of test files. */
export interface HandoverParts {
  readonly toRestore: (sessionId: string) => ToRestore;
  readonly restore: (sessionId: string, from: ToRestore) => Promise<Fault[]>;
  /** The calls and the lists of a session, once they have been read. */
  readonly readSide: (sessionId: string) => Promise<ComparedSession>;
  readonly questions: (sessionId: string) => Promise<readonly InboxEntry[]> | readonly InboxEntry[];
  /** Answers what the server asks until the returned function is called. */
  readonly answerAsRecorded: (sessionId: string, answers: RecordedAnswers) => () => void;
  readonly compare: CompareSides;
  readonly readSuite: (path: string) => Promise<TestFile> | TestFile;
  readonly runSuite: (
    path: string,
    sessionId: string,
    indexes: number[],
  ) => Promise<readonly CallOutcome[]> | readonly CallOutcome[];
  readonly suiteOutcomes: (path: string) => Promise<readonly CallOutcome[]> | readonly CallOutcome[];
}

/** The session whose calls run again, and what the server asked in it. */
interface Baseline {
  readonly sessionId: string;
  readonly calls: readonly TracedCall[];
  readonly questions: readonly InboxEntry[];
}

type About = Pick<RebuildOutcome, 'reason' | 'files' | 'before' | 'sessionId'>;
type Compared = Pick<RebuildOutcome, 'comparison' | 'suite' | 'skipped'>;

/** Hands over from one session of a server to the next: subscriptions, log level, lists, and the calls that run again. */
export class Handover {
  readonly #parts: HandoverParts;
  readonly #rerun = new Rerun();
  /** The last session of ours, until all of the one before is restored in it. */
  #unsettled: string | null = null;
  #toRestore: ToRestore = { logLevel: null, subscriptions: [] };
  #catalog: Catalog | null = null;
  #baseline: Baseline | null = null;

  constructor(parts: HandoverParts) {
    this.#parts = parts;
  }

  get choice(): RerunChoice {
    return this.#rerun.view;
  }

  /** What can run again. @param sessionId the last session */
  async choosable(source: RerunSource, sessionId: string | null): Promise<Choosable> {
    const side = sessionId === null ? null : await this.#parts.readSide(sessionId);
    const tools = side?.catalog.lists.tool ?? this.#catalog?.lists.tool ?? [];
    if (source.kind === 'suite') {
      return { source, tools, calls: callsOfFile(await this.#parts.readSuite(source.path), tools) };
    }
    // Calls that could not run in the last session can still be chosen.
    const calls = [...(this.#baseline?.calls ?? []), ...(side?.calls ?? [])];
    return { source, tools, calls: callsToRerun(calls, tools) };
  }

  /** Chooses the calls that run again. @throws FaultError if they are not as the user saw them */
  async choose(
    source: RerunSource | null,
    seen: readonly Pick<RerunCall, 'key' | 'safety'>[],
    sessionId: string | null,
  ): Promise<void> {
    if (source === null) this.#rerun.clear();
    else this.#rerun.choose(await this.choosable(source, sessionId), seen);
  }

  /** Notes what a session has. One that never was ready, or ended before all was restored, says nothing. */
  async capture({ id, agreement }: SessionView): Promise<void> {
    if (agreement === null || id === this.#unsettled) return;
    this.#toRestore = this.#parts.toRestore(id);
    const { calls, catalog } = await this.#parts.readSide(id);
    this.#catalog = withKnownLists(catalog, this.#catalog);
    if (this.#baseline !== null && !this.#rerun.isCoveredBy(calls)) return;
    // The responses of the other calls are not compared, and may be large.
    const isCompared = (call: TracedCall) =>
      this.#rerun.source?.kind === 'suite' || this.#rerun.has(keyOfCall(call));
    this.#baseline = {
      sessionId: id,
      calls: calls.map((call) => (isCompared(call) ? call : { ...call, response: null })),
      questions: await this.#parts.questions(id),
    };
  }

  /** Restores in a new session what the one before had, runs the chosen calls again, and compares. */
  async handOver(session: TestedSession, about: About): Promise<RebuildOutcome> {
    this.#unsettled = about.sessionId;
    const { logLevel, subscriptions } = this.#toRestore;
    const notRestored = await this.#parts.restore(about.sessionId, this.#toRestore);
    this.#unsettled = null;
    return {
      ...about,
      at: Date.now(),
      notRestored,
      restored: { logLevel, subscriptions: subscriptions.length },
      ...(await this.runAndCompare(session, about.sessionId)),
    };
  }

  /** Runs the chosen calls again if the user agreed to them as they are now, and compares. */
  async runAndCompare(session: TestedSession, sessionId: string): Promise<Compared> {
    const { source } = this.#rerun;
    const { catalog } = await this.#parts.readSide(sessionId);
    const tools = catalog.lists.tool ?? [];
    if (source?.kind === 'suite') {
      const calls = callsOfFile(await this.#parts.readSuite(source.path), tools);
      if (this.#rerun.mayRun({ source, calls, tools })) return this.#runSuite(source.path, calls, sessionId);
    }
    const mayRun = source?.kind === 'calls' && this.#rerun.mayRun({ source, calls: [], tools });
    const run = await this.#replay(session, sessionId, mayRun ? this.#chosenCalls() : []);
    const sent = new Set(run.calls.map(({ row }) => row));
    return {
      comparison: await this.#compare(sessionId, this.#baseline?.calls ?? [], sent, run),
      suite: null,
      skipped: run.calls.flatMap(({ target, skipped: reason }) =>
        reason === null ? [] : [{ target, reason }],
      ),
    };
  }

  /** Null if there was no session before. @param rows those of the session to compare with `recorded` */
  async #compare(
    sessionId: string,
    recorded: readonly TracedCall[],
    rows: ReadonlySet<number | null>,
    replay: ReplayRun | null,
  ): Promise<Comparison | null> {
    if (this.#catalog === null) return null;
    const { calls, catalog } = await this.#parts.readSide(sessionId);
    const other = { calls: calls.filter(({ row }) => rows.has(row)), catalog };
    const before = { calls: recorded, catalog: this.#catalog };
    return (await this.#parts.compare({ recorded: before, other, rules: [], replay })).comparison;
  }

  /** The chosen calls; of equal ones the last, which shows the server as it was before. */
  #chosenCalls(): TracedCall[] {
    const chosen = new Map<string, TracedCall>();
    for (const call of this.#baseline?.calls ?? []) {
      const key = keyOfCall(call);
      if (call.direction === 'out' && this.#rerun.has(key)) chosen.set(key, call);
    }
    return [...chosen.values()];
  }

  async #replay(
    session: TestedSession,
    sessionId: string,
    chosen: readonly TracedCall[],
  ): Promise<ReplayRun> {
    const { calls, questions } = this.#baseline ?? { calls: [], questions: [] };
    const listed = new Set(session.tools.entries.map((entry) => (entry.usable ? entry.tool.name : null)));
    const isGone = ({ method, target }: TracedCall) => method === 'tools/call' && !listed.has(target);
    const secrets = RecordedSecrets.none;
    const answers = new RecordedAnswers(questions, secrets);
    const end = this.#parts.answerAsRecorded(sessionId, answers);
    try {
      const run = await replayCalls({ calls, secrets }, session, answers, {
        rows: chosen.filter((call) => !isGone(call)).map(({ row }) => row),
        // The user agreed to each of them.
        allowWrites: true,
        isLeftOut: () => false,
        speed: null,
        concurrency: 1,
        askBefore: null,
        stop: new AbortController().signal,
        onAdvance: () => undefined,
      });
      const gone = chosen.filter(isGone).map(({ row, method, target }) => ({
        recordedRow: row,
        method,
        target,
        row: null,
        skipped: 'not-listed' as const,
        replaced: [],
      }));
      return { ...run, calls: [...run.calls, ...gone] };
    } finally {
      end();
    }
  }

  async #runSuite(path: string, now: readonly RerunCall[], sessionId: string): Promise<Compared> {
    const before = await this.#parts.suiteOutcomes(path);
    const indexes = now.flatMap(({ key }, index) => (this.#rerun.has(key) ? [index] : []));
    const outcomes = await this.#parts.runSuite(path, sessionId, indexes);
    const rowsBefore = rowsIn(before, this.#baseline?.sessionId);
    const recorded = this.#baseline?.calls.filter(({ row }) => rowsBefore.has(row)) ?? [];
    // Without an earlier run, each call would be an extra one.
    const rows = recorded.length === 0 ? new Set<number>() : rowsIn(outcomes, sessionId);
    return {
      comparison: await this.#compare(sessionId, recorded, rows, null),
      suite: outcomes.map((one) => ({
        ...one,
        before: before.find(({ name }) => name === one.name)?.state ?? null,
      })),
      skipped: [],
    };
  }
}

const rowsIn = (outcomes: readonly CallOutcome[], sessionId: string | undefined): Set<number | null> =>
  new Set(outcomes.flatMap((one) => (one.sessionId === sessionId ? [one.requestRow] : [])));

/** A list that a session did not get to read is as it was known before. */
const withKnownLists = (catalog: Catalog, known: Catalog | null): Catalog => ({
  ...catalog,
  lists: {
    tool: catalog.lists.tool ?? known?.lists.tool ?? null,
    resource: catalog.lists.resource ?? known?.lists.resource ?? null,
    template: catalog.lists.template ?? known?.lists.template ?? null,
    prompt: catalog.lists.prompt ?? known?.lists.prompt ?? null,
  },
});
