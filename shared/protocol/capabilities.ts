import { isObject } from './jsonrpc.ts';
import { isKnownRevision, type Revision, revisionAtLeast } from './revisions.ts';

/** One line of the capability table: where a capability is announced and the revision that brought it. */
interface CapabilityFacts {
  /** Path below `capabilities`, such as `resources.subscribe`. */
  readonly path: string;
  readonly side: 'client' | 'server';
  /** The type of its value; an object if left out. */
  readonly type?: 'boolean';
  readonly since: Revision;
  /** First revision that no longer has it. */
  readonly until?: Revision;
  /** What announcing it means, in a few words. */
  readonly means: string;
}

/** Every capability of every revision (MCP lifecycle, capability negotiation). */
const capabilityTable: readonly CapabilityFacts[] = [
  { side: 'server', path: 'tools', since: '2024-11-05', means: 'offers tools' },
  {
    side: 'server',
    path: 'tools.listChanged',
    type: 'boolean',
    since: '2024-11-05',
    means: 'says when its tools change',
  },
  { side: 'server', path: 'resources', since: '2024-11-05', means: 'offers resources' },
  {
    side: 'server',
    path: 'resources.subscribe',
    type: 'boolean',
    since: '2024-11-05',
    means: 'resources can be subscribed to',
  },
  {
    side: 'server',
    path: 'resources.listChanged',
    type: 'boolean',
    since: '2024-11-05',
    means: 'says when its resources change',
  },
  { side: 'server', path: 'prompts', since: '2024-11-05', means: 'offers prompts' },
  {
    side: 'server',
    path: 'prompts.listChanged',
    type: 'boolean',
    since: '2024-11-05',
    means: 'says when its prompts change',
  },
  { side: 'server', path: 'completions', since: '2025-03-26', means: 'completes arguments' },
  { side: 'server', path: 'logging', since: '2024-11-05', means: 'sends log messages' },
  {
    side: 'server',
    path: 'tasks',
    since: '2025-11-25',
    until: '2026-07-28',
    means: 'runs requests as tasks',
  },
  { side: 'server', path: 'tasks.list', since: '2025-11-25', until: '2026-07-28', means: 'lists its tasks' },
  { side: 'server', path: 'tasks.cancel', since: '2025-11-25', until: '2026-07-28', means: 'cancels tasks' },
  {
    side: 'server',
    path: 'tasks.requests.tools.call',
    since: '2025-11-25',
    until: '2026-07-28',
    means: 'runs tool calls as tasks',
  },
  { side: 'server', path: 'extensions', since: '2026-07-28', means: 'extensions it speaks' },
  { side: 'server', path: 'experimental', since: '2024-11-05', means: 'non-standard features' },
  { side: 'client', path: 'roots', since: '2024-11-05', means: 'tells the folders it works in' },
  {
    side: 'client',
    path: 'roots.listChanged',
    type: 'boolean',
    since: '2024-11-05',
    until: '2026-07-28',
    means: 'says when its roots change',
  },
  { side: 'client', path: 'sampling', since: '2024-11-05', means: 'runs a model for the server' },
  { side: 'client', path: 'sampling.context', since: '2025-11-25', means: 'includes context in sampling' },
  { side: 'client', path: 'sampling.tools', since: '2025-11-25', means: 'lets the model use tools' },
  { side: 'client', path: 'elicitation', since: '2025-06-18', means: 'asks the user for the server' },
  { side: 'client', path: 'elicitation.form', since: '2025-11-25', means: 'asks with a form' },
  { side: 'client', path: 'elicitation.url', since: '2025-11-25', means: 'asks by opening a page' },
  {
    side: 'client',
    path: 'tasks',
    since: '2025-11-25',
    until: '2026-07-28',
    means: 'runs requests as tasks',
  },
  { side: 'client', path: 'tasks.list', since: '2025-11-25', until: '2026-07-28', means: 'lists its tasks' },
  { side: 'client', path: 'tasks.cancel', since: '2025-11-25', until: '2026-07-28', means: 'cancels tasks' },
  {
    side: 'client',
    path: 'tasks.requests.sampling.createMessage',
    since: '2025-11-25',
    until: '2026-07-28',
    means: 'runs sampling as a task',
  },
  {
    side: 'client',
    path: 'tasks.requests.elicitation.create',
    since: '2025-11-25',
    until: '2026-07-28',
    means: 'runs elicitation as a task',
  },
  { side: 'client', path: 'extensions', since: '2026-07-28', means: 'extensions it speaks' },
  { side: 'client', path: 'experimental', since: '2024-11-05', means: 'non-standard features' },
];

/** Whether a revision has this capability; of a revision we do not know, everything is assumed. */
function existsIn(capability: CapabilityFacts, revision: string): boolean {
  if (!isKnownRevision(revision)) return true;
  if (!revisionAtLeast(revision, capability.since)) return false;
  return capability.until === undefined || !revisionAtLeast(revision, capability.until);
}

/** One announced or known capability, ready to be shown as a row. */
export interface CapabilityRow {
  readonly path: string;
  readonly means: string;
  /** The revision that brought it, or null for one no revision knows. */
  readonly since: Revision | null;
  /** `no` also when a boolean is `false`. `wrong`: the value has another type than the capability. */
  readonly declared: 'yes' | 'no' | 'wrong';
  /** What is wrong with the value, such as `an array, where an object belongs`; null if nothing is. */
  readonly wrong: string | null;
  /** Whether the negotiated revision has such a capability; false if it was declared anyway. */
  readonly inRevision: boolean;
  /** The announced value, such as `{}` or `true`; undefined when it was not announced. */
  readonly value: unknown;
}

const hasWrongType = ({ type }: CapabilityFacts, value: unknown): boolean =>
  value !== undefined && (type === 'boolean' ? typeof value !== 'boolean' : !isObject(value));

function declarationOf(capability: CapabilityFacts, value: unknown): CapabilityRow['declared'] {
  if (hasWrongType(capability, value)) return 'wrong';
  return value === undefined || value === false ? 'no' : 'yes';
}

/** What kind of JSON value it is, with its article. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return String(value);
    default:
      return 'an object';
  }
}

/** A capability with a value of the wrong type. */
export interface WrongCapability {
  /** Path below `capabilities`. */
  readonly path: string;
  /** `an array, where an object belongs` */
  readonly wrong: string;
}

/** The capabilities of a server whose values have the wrong type, of those that the revision has. */
export function wrongCapabilities(
  declared: Readonly<Record<string, unknown>>,
  revision: string,
): WrongCapability[] {
  return capabilityRows('server', declared, revision).flatMap(({ path, wrong, inRevision }) =>
    wrong === null || !inRevision ? [] : [{ path, wrong }],
  );
}

/**
 * Whether a server declares a capability, such as `tools` or `resources.subscribe`, even with a value of the wrong type, or below
 * one: then only a request shows whether it has the feature.
 */
export function mayHaveCapability(
  capabilities: Readonly<Record<string, unknown>> | null | undefined,
  path: string,
): boolean {
  if (capabilities == null) return false;
  let value: unknown = capabilities;
  for (const key of path.split('.')) {
    if (!isObject(value)) return true;
    if (!Object.hasOwn(value, key) || value[key] === undefined) return false;
    value = value[key];
  }
  // A boolean may say no. Where an object belongs, `false` says nothing that a revision knows.
  const isBoolean = capabilityTable.some((one) => one.path === path && one.type === 'boolean');
  return !isBoolean || value !== false;
}

function valueAt(declared: unknown, path: string): unknown {
  let value = declared;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/**
 * The capability table of one side: every capability the revision has, and whatever else was announced.
 * Capabilities are not a closed set, so unknown ones are rows too (MCP schema, ServerCapabilities).
 */
export function capabilityRows(
  side: 'client' | 'server',
  declared: Readonly<Record<string, unknown>>,
  revision: string,
): CapabilityRow[] {
  const rows: CapabilityRow[] = [];
  const known = capabilityTable.filter((capability) => capability.side === side);
  for (const capability of known) {
    const value = valueAt(declared, capability.path);
    const inRevision = existsIn(capability, revision);
    if (value === undefined && !inRevision) continue;
    rows.push({
      path: capability.path,
      means: capability.means,
      since: capability.since,
      declared: declarationOf(capability, value),
      wrong: hasWrongType(capability, value)
        ? `${kindOf(value)}, where ${capability.type === 'boolean' ? 'true or false' : 'an object'} belongs`
        : null,
      inRevision,
      value,
    });
  }
  const knownPaths = new Set(known.map((capability) => capability.path));
  for (const [path, value] of unknownPaths(declared, '', knownPaths)) {
    const declaredAs = value === false ? 'no' : 'yes';
    rows.push({
      path,
      means: 'custom',
      since: null,
      declared: declaredAs,
      wrong: null,
      inRevision: true,
      value,
    });
  }
  return rows;
}

const openEnded = new Set(['experimental', 'extensions']);

function* unknownPaths(
  value: Readonly<Record<string, unknown>>,
  prefix: string,
  known: ReadonlySet<string>,
): Generator<[string, unknown]> {
  for (const [key, child] of Object.entries(value)) {
    const path = prefix + key;
    const isKnownOrAbove = [...known].some((name) => name === path || name.startsWith(`${path}.`));
    if (!isKnownOrAbove || openEnded.has(prefix.slice(0, -1))) yield [path, child];
    // A name with a dot in it only looks like the path of a known one.
    else if (key.includes('.')) yield [`${prefix}"${key}"`, child];
    else if (isObject(child)) yield* unknownPaths(child, `${path}.`, known);
  }
}
