import {
  defaultTimeouts,
  plainHttpSettings,
  type Server,
  type StdioSettings,
  noKeepAlive,
} from '#shared/contract/servers.ts';
import type { Agreement, SessionView } from '#shared/contract/sessions.ts';

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
  waysOut: [],
  agreement: anAgreement(),
  evidence: [],
  switchesOn: [],
  http: null,
  process: { pid: 4121, exitCode: null, signal: null },
  openedAt: Date.UTC(2026, 0, 1, 12),
  closedAt: null,
  counts: { rows: 12_408, messages: 12_400, errors: 0, invalid: 0, traceBytes: 4_100_000 },
  toolCount: null,
  missedPings: 0,
  medianDuration: 1100,
  traceFile: { path: '/traces/notes-1402.mcptrace', fault: null },
  ...change,
});
