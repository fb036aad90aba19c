import type { InboxEntry } from '#shared/contract/inbox.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  plainHttpSettings,
  type Server,
  type StdioSettings,
  noKeepAlive,
} from '#shared/contract/servers.ts';
import type { Agreement, SessionView } from '#shared/contract/sessions.ts';
import type { OpenedTrace, TraceFileView } from '#shared/contract/traces.ts';

/** How a sample server's process is run. */
export const stdioSettings = (change: Partial<StdioSettings> = {}): StdioSettings => ({
  kind: 'stdio',
  command: 'node',
  args: ['notes.js'],
  cwd: null,
  env: [],
  inherit: 'safe',
  ...change,
});

export const aServer = (change: Partial<Server> = {}): Server => ({
  id: 'v1',
  source: 'user',
  name: 'notes',
  transport: stdioSettings(),
  era: 'auto',
  revision: null,
  timeouts: defaultTimeouts,
  keepAlive: noKeepAlive,
  client: defaultClientProfile,
  notes: '',
  ...change,
});

export const anHttpServer = (change: Partial<Server> = {}): Server =>
  aServer({ transport: plainHttpSettings('https://notes.example/mcp'), ...change });

export const anAgreement = (change: Partial<Agreement> = {}): Agreement => ({
  era: 'legacy',
  requestedRevision: '2025-11-25',
  revision: '2025-11-25',
  server: { name: 'notes-server', version: '1.2.3' },
  instructions: null,
  serverCapabilities: { tools: {} },
  supportedRevisions: [],
  client: { name: 'sightglass', version: '0.1.0' },
  clientCapabilities: {},
  handshake: 1100,
  ...change,
});

export const aSession = (change: Partial<SessionView> = {}): SessionView => ({
  id: 's1',
  serverId: 'v1',
  serverName: 'notes',
  transport: 'stdio',
  phase: 'ready',
  reason: null,
  fault: null,
  remedies: [],
  agreement: anAgreement(),
  evidence: [],
  switchesOn: [],
  http: null,
  process: { pid: 4121, exitCode: null, signal: null },
  openedAt: Date.UTC(2026, 0, 1, 12),
  closedAt: null,
  counts: { rows: 12_408, messages: 12_400, errors: 0, invalid: 0, traceBytes: 4_100_000 },
  toolCount: null,
  waiting: 0,
  findings: { error: 0, warning: 0, info: 0 },
  logLevel: null,
  missedPings: 0,
  medianDuration: 1100,
  traceFile: { path: '/traces/notes-1402.mcptrace', fault: null },
  ...change,
});

/** A question of a server that waits for the user: an elicitation with a form of one field. */
export const anEntry = (change: Partial<InboxEntry> = {}): InboxEntry => ({
  id: 'e1',
  sessionId: 's1',
  method: 'elicitation/create',
  params: JSON.stringify({
    message: 'What is it called?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  }),
  by: 'request',
  key: null,
  row: 11,
  callId: null,
  askedAt: Date.UTC(2026, 0, 1, 12),
  state: 'waiting',
  suggestion: null,
  answer: null,
  answerRow: null,
  completedRow: null,
  ...change,
});

export const aTraceFile = (change: Partial<TraceFileView> = {}): TraceFileView => ({
  path: '/data/traces/notes-20260101-120000.mcptrace',
  name: 'notes-20260101-120000',
  size: 4_100_000,
  createdAt: Date.UTC(2026, 0, 1, 12),
  server: 'notes',
  transport: 'stdio',
  rows: 12_408,
  errors: 0,
  sessionId: null,
  fault: null,
  ...change,
});

export const anOpenedTrace = (change: Partial<OpenedTrace> = {}): OpenedTrace => ({
  sessionId: 'file-1',
  path: '/data/traces/notes-20260101-120000.mcptrace',
  name: 'notes-20260101-120000',
  header: {
    format: 'mcptrace',
    version: 1,
    app: { name: 'sightglass', version: '0.1.0' },
    createdAt: '2026-01-01T12:00:00.000Z',
    clock: { at: 1000, wall: Date.UTC(2026, 0, 1, 12) },
    server: { name: 'notes', transport: 'stdio', command: 'node', args: ['notes.js', 'a b'] },
  },
  size: 4_100_000,
  read: 4_100_000,
  isRead: true,
  unfinished: 0,
  isGrowing: false,
  isChecked: true,
  counts: { rows: 12_408, messages: 12_400, errors: 0, invalid: 0 },
  findings: { error: 0, warning: 0, info: 0 },
  medianDuration: 1100,
  faults: [],
  ...change,
});
