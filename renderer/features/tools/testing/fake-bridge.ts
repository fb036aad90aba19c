// oxlint-disable-next-line no-restricted-imports -- stands in for the engine
import { SchemaValidator } from '#session/validation/schema-validator.ts';
import type { Params } from '#shared/contract/index.ts';
import { type Call, callsArea } from '#shared/contract/calls.ts';
import { type ToolEntry, type ToolList, toolSchema } from '#shared/contract/catalog.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { SessionView } from '#shared/contract/sessions.ts';

/** Stands in for `#bridge` in component tests: an engine with one session whose answers a test sets. */

/** Forms are validated as in the real engine. */
const validator = new SchemaValidator();

type Listener = (payload: unknown) => void;
const listeners = new Map<string, Set<Listener>>();

export type Started = Omit<Params<'calls/start'>, 'sessionId'>;

const nothing: ToolList = { state: 'ready', entries: [], pages: 1, fault: null, cache: null };

export const engine = {
  sessionId: 's1',
  tools: nothing,
  calls: [] as Call[],
  /** The `result` of each call as text, by call id. */
  results: {} as Record<string, { text: string | null; truncated: boolean }>,
  started: [] as Started[],
  cancelled: [] as string[],
  refreshes: 0,
  startFault: null as Fault | null,

  reset(): void {
    Object.assign(engine, {
      tools: nothing,
      calls: [],
      results: {},
      started: [],
      cancelled: [],
      refreshes: 0,
      startFault: null,
    });
    listeners.clear();
  },

  emit(event: string, payload: unknown): void {
    for (const listener of listeners.get(event) ?? []) listener(payload);
  },

  /** Changes the tools and says so. */
  setTools(tools: Partial<ToolList>): void {
    engine.tools = { ...nothing, ...tools };
    engine.emit('catalog/changed', { sessionId: engine.sessionId, list: 'tools' });
  },

  /** Changes the newest call and says so. */
  finish(change: Partial<Call>, result?: unknown): void {
    const at = engine.calls.length - 1;
    const last = engine.calls[at];
    if (last === undefined) throw new Error('Nothing was called');
    const ended = { ...last, duration: 5012, size: 214, responseRow: 8, ...change };
    engine.calls[at] = ended;
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    if (result !== undefined) engine.results[ended.id] = { text, truncated: false };
    engine.emit('calls/changed', ended);
  },
};

export function on(event: string, listener: Listener): () => void {
  const set = listeners.get(event) ?? new Set();
  listeners.set(event, set.add(listener));
  return () => set.delete(listener);
}

/** Answers as the engine would; what it is asked must be what the contract says. */
export async function call(command: string, params: unknown): Promise<unknown> {
  switch (command) {
    case 'catalog/tools':
      return engine.tools;
    case 'catalog/refresh':
      engine.refreshes++;
      return null;
    case 'calls/check': {
      const { schema, value } = callsArea.commands['calls/check'].params.parse(params);
      return validator.validateText(schema, value);
    }
    case 'calls/list':
      return engine.calls;
    case 'calls/start':
      return start(callsArea.commands['calls/start'].params.parse(params));
    case 'calls/cancel':
      engine.cancelled.push(callsArea.commands['calls/cancel'].params.parse(params).callId);
      return null;
    case 'calls/result': {
      const { callId } = callsArea.commands['calls/result'].params.parse(params);
      return engine.results[callId] ?? { text: null, truncated: false };
    }
    default:
      throw new Error(`The fake engine knows no ${command}`);
  }
}

function start({ sessionId: _, ...started }: Params<'calls/start'>): Call {
  if (engine.startFault) throw new FaultError(engine.startFault);
  engine.started.push(started);
  const { tool, arguments: text } = started;
  const requestId = engine.calls.length + 2;
  const made: Call = {
    id: `call-${requestId}`,
    sessionId: engine.sessionId,
    method: 'tools/call',
    tool,
    arguments: text,
    state: 'running',
    startedAt: Date.now(),
    duration: null,
    size: null,
    progress: null,
    requestId,
    requestRow: 6,
    responseRow: null,
    rounds: [{ requestId, requestRow: 6, responseRow: null }],
    waitsFor: [],
    taskId: null,
    argumentsValidation: null,
    outputValidation: null,
    error: null,
    fault: null,
  };
  engine.calls.push(made);
  return made;
}

/** An entry of the list, its raw text made from the tool. */
export function entry(tool: Record<string, unknown>): ToolEntry {
  const whole = { inputSchema: { type: 'object' }, ...tool };
  return { usable: true, duplicate: false, tool: toolSchema.parse(whole), raw: JSON.stringify(whole) };
}

export const session: SessionView = {
  id: 's1',
  serverId: 'v1',
  serverName: 'server',
  transport: 'stdio',
  phase: 'ready',
  reason: null,
  fault: null,
  agreement: {
    era: 'legacy',
    requestedRevision: '2025-11-25',
    revision: '2025-11-25',
    server: { name: 'server', version: '1' },
    instructions: null,
    serverCapabilities: { tools: {} },
    supportedRevisions: [],
    client: { name: 'Sightglass', version: '1' },
    clientCapabilities: {},
    handshake: 1000,
  },
  remedies: [],
  evidence: [],
  switchesOn: [],
  http: null,
  process: null,
  openedAt: 0,
  closedAt: null,
  counts: { rows: 0, messages: 0, errors: 0, invalid: 0, traceBytes: 0 },
  toolCount: null,
  waiting: 0,
  findings: { error: 0, warning: 0, info: 0 },
  logLevel: null,
  missedPings: 0,
  medianDuration: null,
  traceFile: { path: 'x.mcptrace', fault: null },
};
