import { isObject } from './jsonrpc.ts';
import { isKnownRevision, type Revision, revisionAtLeast } from './revisions.ts';

/** Who sends a message. */
export type Party = 'client' | 'server';

/** The capability that makes a method usable, and who has to announce it. */
export interface Gate {
  /** Path below `capabilities`, one key an entry, because the id of an extension has dots in it. */
  readonly path: readonly string[];
  /** Requests need it of who answers them, most notifications of who sends them. */
  readonly declaredBy: 'sender' | 'receiver';
}

/** A part of the params that needs a capability of its own. */
export interface PartGate {
  /** JSON pointer into `params`. */
  readonly pointer: string;
  /** The value that needs it; any value that is there when left out. */
  readonly equals?: string;
  readonly gate: Gate;
}

/** What applies to a method from one revision on. */
export interface MethodAvailability {
  readonly since: Revision;
  /** First revision this no longer holds in. */
  readonly until?: Revision;
  /** Who may send it. */
  readonly from: Party | 'both';
  /** Set if the request is no longer a message, but a member of `inputRequests` of a result (MCP 2026-07-28 patterns/mrtr). */
  readonly onlyEmbedded?: true;
  /** The extension that it belongs to. */
  readonly extension?: string;
  readonly gate?: Gate;
  readonly parts?: readonly PartGate[];
}

export interface MethodFacts {
  readonly method: string;
  readonly kind: 'request' | 'notification';
  /** When the method was available, in the order of the revisions; the periods do not overlap. */
  readonly availability: readonly MethodAvailability[];
}

/** Methods that several parts treat in their own way. */
export const CANCELLED = 'notifications/cancelled';
export const PROGRESS = 'notifications/progress';
export const LOG_MESSAGE = 'notifications/message';
export const LISTEN = 'subscriptions/listen';
export const TOOLS_CALL = 'tools/call';
export const PROMPTS_GET = 'prompts/get';
export const RESOURCES_READ = 'resources/read';

/** The extension of the revision 2026-07-28 by which a server answers a tool call with a task. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const ofReceiver = (...path: string[]): Gate => ({ path, declaredBy: 'receiver' });
const ofSender = (...path: string[]): Gate => ({ path, declaredBy: 'sender' });

const first = '2024-11-05';
const modern = '2026-07-28';

/** Sent by the client: in the legacy era only, or in every revision. */
const legacyFromClient = (gate?: Gate): MethodAvailability[] => [
  { since: first, until: modern, from: 'client', ...(gate && { gate }) },
];
const alwaysFromClient = (gate: Gate): MethodAvailability[] => [{ since: first, from: 'client', gate }];
const alwaysFromServer = (gate: Gate): MethodAvailability[] => [{ since: first, from: 'server', gate }];

const tasksInCore = { since: '2025-11-25', until: modern, from: 'both' } as const;
const tasksAsExtension = {
  since: modern,
  from: 'client',
  extension: TASKS_EXTENSION,
  gate: ofReceiver('extensions', TASKS_EXTENSION),
} as const;

const taskOf = (...path: string[]): PartGate => ({
  pointer: '/task',
  gate: ofReceiver('tasks', 'requests', ...path),
});
const samplingParts: readonly PartGate[] = [
  { pointer: '/tools', gate: ofReceiver('sampling', 'tools') },
  { pointer: '/toolChoice', gate: ofReceiver('sampling', 'tools') },
  { pointer: '/includeContext', equals: 'thisServer', gate: ofReceiver('sampling', 'context') },
  { pointer: '/includeContext', equals: 'allServers', gate: ofReceiver('sampling', 'context') },
];
const elicitationParts: readonly PartGate[] = [
  { pointer: '/mode', equals: 'form', gate: ofReceiver('elicitation', 'form') },
  { pointer: '/mode', equals: 'url', gate: ofReceiver('elicitation', 'url') },
];
const listenParts: readonly PartGate[] = [
  { pointer: '/notifications/toolsListChanged', gate: ofReceiver('tools', 'listChanged') },
  { pointer: '/notifications/promptsListChanged', gate: ofReceiver('prompts', 'listChanged') },
  { pointer: '/notifications/resourcesListChanged', gate: ofReceiver('resources', 'listChanged') },
  { pointer: '/notifications/resourceSubscriptions', gate: ofReceiver('resources', 'subscribe') },
  { pointer: '/notifications/taskIds', gate: ofReceiver('extensions', TASKS_EXTENSION) },
];

const requests: Readonly<Record<string, readonly MethodAvailability[]>> = {
  initialize: legacyFromClient(),
  'server/discover': [{ since: modern, from: 'client' }],
  ping: [{ since: first, until: modern, from: 'both' }],
  'tools/list': alwaysFromClient(ofReceiver('tools')),
  'tools/call': [
    { since: first, until: '2025-11-25', from: 'client', gate: ofReceiver('tools') },
    {
      since: '2025-11-25',
      until: modern,
      from: 'client',
      gate: ofReceiver('tools'),
      parts: [taskOf('tools', 'call')],
    },
    { since: modern, from: 'client', gate: ofReceiver('tools') },
  ],
  'resources/list': alwaysFromClient(ofReceiver('resources')),
  'resources/templates/list': alwaysFromClient(ofReceiver('resources')),
  'resources/read': alwaysFromClient(ofReceiver('resources')),
  'resources/subscribe': legacyFromClient(ofReceiver('resources', 'subscribe')),
  'resources/unsubscribe': legacyFromClient(ofReceiver('resources', 'subscribe')),
  'subscriptions/listen': [{ since: modern, from: 'client', parts: listenParts }],
  'prompts/list': alwaysFromClient(ofReceiver('prompts')),
  'prompts/get': alwaysFromClient(ofReceiver('prompts')),
  'completion/complete': [
    // The first revision has the method and no capability for it.
    { since: first, until: '2025-03-26', from: 'client' },
    { since: '2025-03-26', from: 'client', gate: ofReceiver('completions') },
  ],
  'logging/setLevel': legacyFromClient(ofReceiver('logging')),
  'tasks/get': [{ ...tasksInCore, gate: ofReceiver('tasks') }, tasksAsExtension],
  'tasks/result': [{ ...tasksInCore, gate: ofReceiver('tasks') }],
  'tasks/list': [{ ...tasksInCore, gate: ofReceiver('tasks', 'list') }],
  'tasks/cancel': [{ ...tasksInCore, gate: ofReceiver('tasks', 'cancel') }, tasksAsExtension],
  'tasks/update': [tasksAsExtension],
  'roots/list': [
    { since: first, until: modern, from: 'server', gate: ofReceiver('roots') },
    { since: modern, from: 'server', onlyEmbedded: true, gate: ofReceiver('roots') },
  ],
  'sampling/createMessage': [
    { since: first, until: '2025-11-25', from: 'server', gate: ofReceiver('sampling') },
    {
      since: '2025-11-25',
      until: modern,
      from: 'server',
      gate: ofReceiver('sampling'),
      parts: [...samplingParts, taskOf('sampling', 'createMessage')],
    },
    { since: modern, from: 'server', onlyEmbedded: true, gate: ofReceiver('sampling'), parts: samplingParts },
  ],
  'elicitation/create': [
    { since: '2025-06-18', until: '2025-11-25', from: 'server', gate: ofReceiver('elicitation') },
    {
      since: '2025-11-25',
      until: modern,
      from: 'server',
      gate: ofReceiver('elicitation'),
      parts: [...elicitationParts, taskOf('elicitation', 'create')],
    },
    {
      since: modern,
      from: 'server',
      onlyEmbedded: true,
      gate: ofReceiver('elicitation'),
      parts: elicitationParts,
    },
  ],
};

const notifications: Readonly<Record<string, readonly MethodAvailability[]>> = {
  'notifications/initialized': legacyFromClient(),
  // In the modern era over stdio only; the server's names nothing but a listen stream (MCP 2026-07-28 patterns/cancellation).
  'notifications/cancelled': [{ since: first, from: 'both' }],
  'notifications/progress': [
    { since: first, until: modern, from: 'both' },
    { since: modern, from: 'server' },
  ],
  'notifications/roots/list_changed': legacyFromClient(ofSender('roots', 'listChanged')),
  'notifications/message': alwaysFromServer(ofSender('logging')),
  'notifications/tools/list_changed': alwaysFromServer(ofSender('tools', 'listChanged')),
  'notifications/prompts/list_changed': alwaysFromServer(ofSender('prompts', 'listChanged')),
  'notifications/resources/list_changed': alwaysFromServer(ofSender('resources', 'listChanged')),
  'notifications/resources/updated': alwaysFromServer(ofSender('resources', 'subscribe')),
  'notifications/elicitation/complete': [
    { since: '2025-11-25', until: modern, from: 'server', gate: ofReceiver('elicitation', 'url') },
  ],
  'notifications/tasks/status': [{ ...tasksInCore, gate: ofSender('tasks') }],
  'notifications/subscriptions/acknowledged': [{ since: modern, from: 'server' }],
  'notifications/tasks': [
    {
      since: modern,
      from: 'server',
      extension: TASKS_EXTENSION,
      gate: ofSender('extensions', TASKS_EXTENSION),
    },
  ],
};

/** Every method of every published revision (MCP schema of each, and the tasks extension). */
export const methods: readonly MethodFacts[] = [
  ...Object.entries(requests).map(([method, availability]) => ({
    method,
    kind: 'request' as const,
    availability,
  })),
  ...Object.entries(notifications).map(([method, availability]) => ({
    method,
    kind: 'notification' as const,
    availability,
  })),
];

const byName = new Map(methods.map((facts) => [facts.method, facts]));

/** What is known of a method, over all revisions; null for one that none has. */
export function methodFacts(method: string): MethodFacts | null {
  return byName.get(method) ?? null;
}

/** What holds of a method in one revision, embedded ones included; null when the revision does not have it. */
export function methodIn(method: string, revision: string): MethodAvailability | null {
  if (!isKnownRevision(revision)) return null;
  const holds = ({ since, until }: MethodAvailability): boolean =>
    revisionAtLeast(revision, since) && (until === undefined || !revisionAtLeast(revision, until));
  return byName.get(method)?.availability.find(holds) ?? null;
}

/** Whether `from` may send this method as a message of its own in this revision, extensions included. */
export function existsIn(method: string, revision: string, from: Party): boolean {
  const available = methodIn(method, revision);
  if (available === null || available.onlyEmbedded) return false;
  return available.from === 'both' || available.from === from;
}

/** The capability that a method as a whole needs in a revision; null when none, or when it does not have the method. */
export function gateOf(method: string, revision: string): Gate | null {
  return methodIn(method, revision)?.gate ?? null;
}

/** The top-level capability that a method needs, whatever the revision; null if it never needs one. */
export function capabilityOf(method: string): string | null {
  const gate = byName.get(method)?.availability.find((available) => available.gate !== undefined)?.gate;
  return gate?.path[0] ?? null;
}

/** Whether capabilities hold what a gate asks for; an empty `elicitation` means forms (MCP 2025-11-25 elicitation). */
export function isDeclared(capabilities: unknown, path: readonly string[]): boolean {
  let value = capabilities;
  for (const [depth, key] of path.entries()) {
    if (!isObject(value)) return false;
    if (depth === 1 && path[0] === 'elicitation' && key === 'form' && Object.keys(value).length === 0) {
      return true;
    }
    if (!Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return value !== undefined && value !== false && value !== null;
}
