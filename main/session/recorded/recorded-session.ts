import {
  entryKinds,
  promptListView,
  resourceListView,
  templateListView,
  toolListView,
} from '#session/catalog/entries.ts';
import { paramHeadersOf } from '#session/headers/param-headers.ts';
import { ProcessState } from '#session/process-state.ts';
import { ToolValidator } from '#session/validator.ts';
import { recordedCallId } from '#shared/contract/calls.ts';
import { type CatalogListName, type CatalogLists, listMethods } from '#shared/contract/catalog.ts';
import { type DefinitionChanges, definitionChangesSchema } from '#shared/contract/definitions.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { Agreement, SessionView } from '#shared/contract/sessions.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { mayHaveCapability } from '#shared/protocol/capabilities.ts';
import { capabilityOf } from '#shared/protocol/methods.ts';
import type { PhaseRecord, TraceRecord } from '#shared/trace/record.ts';
import type { RecordedHandlers } from '#trace/opened/recorded-session.ts';
import type { TraceFromFile } from '#trace/opened/trace-from-file.ts';
import { readRecord } from '#trace/view/row-reader.ts';
import { recordedAgreement } from './recorded-agreement.ts';
import { RecordedCalls } from './recorded-calls.ts';
import { recordedInbox } from './recorded-inbox.ts';
import { recordedFlows } from './recorded-authorization.ts';
import { recordedList } from './recorded-catalog.ts';
import { recordedHttp } from './recorded-http.ts';
import { RecordedRequests } from './recorded-requests.ts';
import { RecordedTasks } from './recorded-tasks.ts';

/** The handlers of commands about the session in a trace file, which answer from its records alone. */
export function recordedHandlers(sessionId: string, trace: TraceFromFile): RecordedHandlers {
  const session = new RecordedSession(sessionId, trace);
  return {
    'traces/session': async () => session.redacted(await session.view()),
    'sessions/changes': async () => session.redacted(await session.definitionChanges()),
    'catalog/tools': async () => toolListView((await session.lists()).tools, session.redacted),
    'catalog/resources': async () => resourceListView((await session.lists()).resources, session.redacted),
    'catalog/templates': async () => templateListView((await session.lists()).templates, session.redacted),
    'catalog/prompts': async () => promptListView((await session.lists()).prompts, session.redacted),
    'calls/list': async () => (await session.calls()).list(),
    'calls/history': async (params) => (await session.calls()).history(params),
    'calls/of-row': async ({ row }) => (await session.calls()).ofRow(row),
    'calls/result': async ({ callId, from }) => (await session.calls()).result(callId, from ?? 0),
    'tasks/list': async () => (await session.tasks()).list(),
    // Only a live session can resume a task.
    'tasks/resumable': () => session.redacted({ sessionId, tasks: [] }),
    'tasks/result': async ({ taskId }) => ({ text: await (await session.tasks()).result(taskId) }),
    'inbox/list': async () => (await session.inbox()).map((entry) => session.redacted(entry)),
    'authorization/flows': async () => (await session.flows()).map((flow) => session.redacted(flow)),
    // Subscriptions end with their session.
    'subscriptions/list': () => [],
  };
}

/** The session in a trace file: what it agreed on, the lists it read, the requests the user sent, and those of the server. */
class RecordedSession {
  readonly #id: string;
  readonly #trace: TraceFromFile;
  readonly #requests: RecordedRequests;
  readonly #calls: RecordedCalls;
  /** What was derived last; the key is how many rows and bytes the trace had then. */
  #derived: { readonly key: string; readonly what: Promise<Derived> } | null = null;

  constructor(id: string, trace: TraceFromFile) {
    this.#id = id;
    this.#trace = trace;
    this.#requests = new RecordedRequests(trace);
    this.#calls = new RecordedCalls({
      sessionId: id,
      requests: this.#requests,
      taskOutcome: async (taskId) => (await this.tasks()).outcome(taskId),
      validator: async () => {
        const { tools } = await this.lists();
        return new ToolValidator(() => tools);
      },
      redacted: this.redacted,
    });
  }

  /** Brands a value as redacted. The recorder has replaced the secrets already. */
  readonly redacted = <T>(value: T): Redacted<T> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this is where the brand comes from
    this.#trace.redacted(value) as Redacted<T>;

  async lists(): Promise<CatalogLists> {
    return (await this.#derive()).lists;
  }

  async tasks(): Promise<RecordedTasks> {
    return (await this.#derive()).tasks;
  }

  async calls(): Promise<RecordedCalls> {
    await this.#derive();
    return this.#calls;
  }

  async inbox() {
    const { agreement } = await this.#derive();
    return recordedInbox({
      sessionId: this.#id,
      requests: this.#requests,
      wallAt: this.#requests.wallAt,
      callIdOf: recordedCallId,
      isModern: agreement?.era === 'modern',
    });
  }

  async flows() {
    await this.#derive();
    return recordedFlows(this.#id, this.#requests);
  }

  async view(): Promise<SessionView> {
    const { agreement, lists, phases, http } = await this.#derive();
    const { header, durations, index, findings, file } = this.#trace;
    const last = phases.at(-1)?.record ?? null;
    const hasEnded = last?.phase === 'closed' || last?.phase === 'failed';
    const phase = last?.phase === 'failed' ? 'failed' : 'closed';
    const reason = hasEnded ? (last.reason ?? null) : this.#reasonWithoutEnd();
    const lastRow = index.columns.count - 1;
    const countOf = (list: CatalogListName): number | null => {
      const { state, entries } = lists[list];
      return state === 'ready' || entries.length > 0 ? entries.length : null;
    };
    return {
      id: this.#id,
      serverId: this.#id,
      serverName: header.server.name,
      transport: http?.transport ?? 'stdio',
      phase,
      reason,
      fault: phase === 'failed' && reason !== null ? { code: 'session-failed', what: reason } : null,
      remedies: [],
      agreement,
      evidence: phases.flatMap(({ record }) =>
        (record.evidence ?? []).map(({ text, of }) => ({
          text,
          row: of === undefined ? null : index.columns.rowOf(of),
        })),
      ),
      switchesOn: await this.#switchesOn(),
      http: http?.http ?? null,
      process: await this.#process(),
      openedAt: header.clock.wall,
      closedAt: hasEnded ? this.#requests.wallAt(phases.at(-1)?.row ?? lastRow) : null,
      counts: {
        rows: index.columns.count,
        messages: index.messages,
        errors: index.errors,
        invalid: index.invalid,
        traceBytes: file.size,
      },
      toolCount: countOf('tools'),
      resourceCount: countOf('resources'),
      promptCount: countOf('prompts'),
      diagnosis: null,
      waiting: 0,
      isDecliningAll: false,
      taskCount: (await this.tasks()).list().length,
      resumableTasks: 0,
      findings: { ...findings.counts },
      logLevel: await this.#logLevel(),
      missedPings: 0,
      isOutdated: false,
      medianDuration: durations.median(),
      traceFile: { path: file.path, fault: null },
    };
  }

  #reasonWithoutEnd(): string {
    if (this.#trace.header.excerpt !== undefined) return EXCERPT;
    return this.#trace.view().isGrowing ? GROWING : STOPPED;
  }

  /** Derived again only if the trace has changed. */
  #derive(): Promise<Derived> {
    const { index, file } = this.#trace;
    const key = `${index.columns.count} ${file.size}`;
    if (this.#derived?.key !== key) this.#derived = { key, what: this.#deriveNow() };
    return this.#derived.what;
  }

  async #deriveNow(): Promise<Derived> {
    const requests = this.#requests;
    requests.scan();
    const { server } = this.#trace.header;
    const phases: Phase[] = [];
    for (const row of requests.phases.slice(-MAX_PHASES)) {
      const record = await readRecord(this.#trace, row);
      if (record.kind === 'phase') phases.push({ row, record });
    }
    const wasReady = phases.some(({ record }) => record.phase === 'ready');
    const agreement = phases.length === 0 || wasReady ? await recordedAgreement(requests, wasReady) : null;
    const http = server.transport === 'http' ? await recordedHttp(requests, server.url) : null;
    const tasks = await RecordedTasks.read({
      state: { id: this.#id, trace: this.#trace, redacted: this.redacted },
      requests,
      agreement,
      isGrowing: this.#trace.view().isGrowing,
    });
    const lists = await this.#readLists(agreement, server.transport === 'http');
    return { agreement, phases, http, tasks, lists };
  }

  async #readLists(agreement: Agreement | null, isHttp: boolean): Promise<CatalogLists> {
    const needsHeaders = isHttp && agreement?.era === 'modern';
    const kinds = entryKinds((schema) => (needsHeaders ? paramHeadersOf(schema).error : null));
    const isDeclared = (list: CatalogListName): boolean =>
      mayHaveCapability(agreement?.serverCapabilities, capabilityOf(listMethods[list]) ?? list);
    const wallAt = this.#requests.wallAt;
    return {
      tools: await recordedList(this.#requests, kinds.tools, isDeclared('tools'), wallAt),
      resources: await recordedList(this.#requests, kinds.resources, isDeclared('resources'), wallAt),
      templates: await recordedList(this.#requests, kinds.templates, isDeclared('templates'), wallAt),
      prompts: await recordedList(this.#requests, kinds.prompts, isDeclared('prompts'), wallAt),
    };
  }

  /** What the server defined differently from its connection before; null if that is not on record. */
  async definitionChanges(): Promise<DefinitionChanges | null> {
    await this.#derive();
    const record = await this.#lastOf(this.#requests.definitions);
    return record?.kind === 'definitions' ? (definitionChangesSchema.safeParse(record).data ?? null) : null;
  }

  async #switchesOn(): Promise<string[]> {
    const record = await this.#lastOf(this.#requests.switches);
    return record?.kind === 'switches' ? [...record.on] : [];
  }

  async #process(): Promise<SessionView['process']> {
    const process = new ProcessState();
    for (const row of this.#requests.processes) {
      const record = await readRecord(this.#trace, row);
      if (record.kind === 'process') process.add(record.change, record.at);
    }
    return process.view;
  }

  /** The last level that the server accepted. */
  async #logLevel(): Promise<string | null> {
    const { columns } = this.#trace.index;
    const row = this.#requests.rows('logging/setLevel').findLast((one) => columns.status(one) === 'ok');
    if (row === undefined) return null;
    const { params } = await this.#requests.params(row);
    return isObject(params) && typeof params.level === 'string' ? params.level : null;
  }

  async #lastOf(rows: readonly number[]): Promise<TraceRecord | null> {
    const row = rows.at(-1);
    return row === undefined ? null : readRecord(this.#trace, row);
  }
}

interface Phase {
  readonly row: number;
  readonly record: PhaseRecord;
}

interface Derived {
  readonly agreement: Agreement | null;
  readonly phases: readonly Phase[];
  readonly http: Awaited<ReturnType<typeof recordedHttp>> | null;
  readonly tasks: RecordedTasks;
  readonly lists: CatalogLists;
}

/** Limit of phases to read: a session that expired often has many. */
const MAX_PHASES = 200;

const GROWING = 'Another process is recording this session.';
const EXCERPT = 'The file is an excerpt, without the end of the session.';
const STOPPED = 'The recording stopped without an end.';
