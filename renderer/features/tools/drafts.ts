import { create } from 'zustand';
import type { CatalogLine } from '#model/catalog.ts';
import { chosenByServer, entryOf, keepInPlace, partsOf } from '#model/place.ts';
import { type Call, type CallHeader, callHeaderSchema } from '#shared/contract/calls.ts';
import type { PlaceEntry } from '#shared/contract/place.ts';
import type { ToolEntry } from '#shared/contract/catalog.ts';
import type { Params } from '#shared/contract/index.ts';
import { millisecondsSchema } from '#shared/contract/servers.ts';
import { isSecretHeader } from '#shared/secret-names.ts';
import { readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import { initialValue } from '#ui/schema-form/initial-value.ts';
import { isSchema } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

export type ToolLine = CatalogLine<ToolEntry>;

/** The arguments the user entered for a tool. The text is sent as it is. */
export interface Draft {
  readonly text: string;
  readonly mode: 'form' | 'json';
  readonly options: OptionsDraft;
  /** How many calls to run in parallel, as entered. */
  readonly parallel: string;
  /** Whether the user has changed the arguments, or tried to run them: errors in them are shown from then on. */
  readonly isTouched: boolean;
}

interface ToolsState {
  readonly drafts: Readonly<Record<string, Draft>>;
  /** Key of the selected entry, by server. */
  readonly selected: Readonly<Record<string, string>>;
  /** What the result column shows, by server and tool; null for the newest call. */
  readonly shown: Readonly<Record<string, Shown | null>>;
  /** The last parallel run, by server and tool. */
  readonly parallelRuns: Readonly<Record<string, ParallelRun>>;
  /** Key of the entry whose first field takes the focus as soon as it is shown. */
  readonly focusesForm: string | null;
}

/** What the result column of a tool shows. */
export type Shown =
  /** One call, by its `callKey`. */
  | { readonly kind: 'call'; readonly call: string }
  | { readonly kind: 'parallel' }
  /** Two calls side by side, the older one at the left. `back` was shown before. */
  | {
      readonly kind: 'compare';
      readonly calls: readonly [left: string, right: string];
      readonly back: string;
    };

/** One call that was started several times at once. */
export interface ParallelRun {
  readonly arguments: string;
  readonly count: number;
  /** The `callKey` of each call that was started. */
  readonly calls: readonly string[];
}

/** Identifies a call among the calls of all sessions. */
export const callKey = ({ sessionId, id }: Pick<Call, 'sessionId' | 'id'>): string => `${sessionId} ${id}`;

/** State of the Tools pane, kept while the app runs. */
export const useToolsState = create<ToolsState>()(() => ({
  drafts: {},
  selected: {},
  shown: {},
  parallelRuns: {},
  focusesForm: null,
}));

keepInPlace<ToolsState, string>(useToolsState, {
  prefix: 'tool ',
  get: ({ selected }) => selected,
  set: (selected) => ({ selected }),
  ...chosenByServer,
});
keepInPlace<ToolsState, Draft>(useToolsState, {
  prefix: 'tool-draft ',
  get: ({ drafts }) => drafts,
  set: (drafts) => ({ drafts }),
  toEntry: draftEntry,
  fromEntry: draftFrom,
});

const draftKey = (serverId: string, line: ToolLine): string => JSON.stringify([serverId, line.key]);
export const shownKey = (serverId: string, tool: string | null): string => JSON.stringify([serverId, tool]);

export const selectTool = (serverId: string, key: string): void =>
  useToolsState.setState(({ selected }) => ({ selected: { ...selected, [serverId]: key } }));

/** Selects a tool, and moves the focus to its first field, or to Run if it takes no arguments. */
export function enterTool(serverId: string, key: string): void {
  selectTool(serverId, key);
  useToolsState.setState({ focusesForm: key });
}

export const show = (key: string, what: Shown | null): void =>
  useToolsState.setState(({ shown }) => ({ shown: { ...shown, [key]: what } }));

export const setParallelRun = (key: string, run: ParallelRun): void =>
  useToolsState.setState(({ parallelRuns }) => ({ parallelRuns: { ...parallelRuns, [key]: run } }));

/** The draft of a tool: what the user entered, or a first draft from its schema. */
export function useDraft(
  serverId: string,
  line: ToolLine,
): readonly [Draft, (change: Partial<Draft>) => void] {
  const key = draftKey(serverId, line);
  const kept = useToolsState(({ drafts }) => drafts[key]);
  const draft = kept ?? firstDraft(line);
  const change = (part: Partial<Draft>) =>
    useToolsState.setState(({ drafts }) => ({
      drafts: { ...drafts, [key]: { ...(drafts[key] ?? draft), ...touchedBy(part), ...part } },
    }));
  return [draft, change];
}

/** The arguments in the form of a tool at the moment. */
export const currentText = (serverId: string, line: ToolLine): string =>
  (useToolsState.getState().drafts[draftKey(serverId, line)] ?? firstDraft(line)).text;

/** A change of the arguments marks the draft as touched. */
const touchedBy = ({ text }: Partial<Draft>): Partial<Draft> =>
  text === undefined ? {} : { isTouched: true };

/** Puts arguments into the form of a tool and shows it. */
export function loadArguments(serverId: string, line: ToolLine, text: string): void {
  const key = draftKey(serverId, line);
  selectTool(serverId, line.key);
  useToolsState.setState(({ drafts }) => ({
    drafts: { ...drafts, [key]: { ...(drafts[key] ?? firstDraft(line)), text, isTouched: true } },
  }));
}

/**
 * Shows a tool with a call that was opened from the trace. Its arguments are put into the form, unless the user typed others
 * there that would be lost, because no call was made with them.
 *
 * @param calls all that are known of the server
 */
export function showToolOfCall(opened: Call, serverId: string, line: ToolLine, calls: readonly Call[]): void {
  const text = sentText(currentText(serverId, line));
  const isInACall = calls.some(({ tool, arguments: sent }) => tool === line.name && sentText(sent) === text);
  if (isInACall || text === sentText(firstDraft(line).text)) loadArguments(serverId, line, opened.arguments);
  else selectTool(serverId, line.key);
  show(shownKey(serverId, line.name), { kind: 'call', call: callKey(opened) });
}

/** Initial drafts: the schema's defaults, with numbers digit by digit as the server wrote them. */
const firstDrafts = new WeakMap<ToolLine['entry'], Draft>();

function firstDraft({ entry }: ToolLine): Draft {
  const known = firstDrafts.get(entry);
  if (known) return known;
  const read = readJson(entry.raw);
  const schema = read.ok && isObject(read.value) ? read.value.inputSchema : undefined;
  const start = isSchema(schema) ? initialValue(schema) : undefined;
  const draft: Draft = {
    text: writeJson(isObject(start) ? start : {}),
    mode: entry.usable ? 'form' : 'json',
    options: unsetOptions,
    parallel: '10',
    isTouched: false,
  };
  firstDrafts.set(entry, draft);
  return draft;
}

/** A draft as it is kept. Hidden headers are secret, so they are not. */
function draftEntry({ text, mode, options, parallel, isTouched }: Draft, key: string): PlaceEntry | null {
  const { timeout, maxTimeout, resetOnProgress, meta, headers, hidesHeaders, asTask } = options;
  return entryOf(partsOf(key)[0], {
    chosen: { mode, isTouched, resetOnProgress, hidesHeaders, asTask },
    typed: { text, parallel, timeout, maxTimeout, meta, ...(!hidesHeaders && { headers }) },
  });
}

function draftFrom({ chosen, typed }: PlaceEntry): Draft | undefined {
  // Without its text, which was too long or held a secret, there is no draft.
  if (!typed.text) return undefined;
  const { parallel, timeout, maxTimeout, meta, headers } = typed;
  return {
    text: typed.text,
    mode: chosen.mode === 'json' ? 'json' : 'form',
    parallel: parallel ?? '10',
    isTouched: chosen.isTouched === true,
    options: {
      timeout: timeout ?? '',
      maxTimeout: maxTimeout ?? '',
      resetOnProgress: chosen.resetOnProgress !== false,
      meta: meta ?? '',
      headers: headers ?? '',
      hidesHeaders: chosen.hidesHeaders !== false,
      asTask: chosen.asTask === true,
    },
  };
}

export type Sendable =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: string };

/** The arguments exactly as they will be sent: the text without whitespace between tokens. */
export function sendable(text: string): Sendable {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
  if (!isObject(parsed)) return { ok: false, error: 'Arguments must be a JSON object.' };
  return { ok: true, text: text.replace(/("(?:[^"\\]|\\.)*(?:"|\\?$))|\s+/gs, '$1') };
}

/** What is sent of a text; the text itself if it cannot be sent. */
function sentText(text: string): string {
  const read = sendable(text);
  return read.ok ? read.text : text;
}

/** Options for the calls of a tool, as entered. An empty timeout means the server's setting. */
export interface OptionsDraft {
  /** Seconds without a response. */
  readonly timeout: string;
  /** Seconds in total. */
  readonly maxTimeout: string;
  /** Whether progress restarts the timeout. */
  readonly resetOnProgress: boolean;
  /** Members for `_meta`, as JSON text of an object. */
  readonly meta: string;
  /** Lines of HTTP headers, such as `X-Tenant: a`. */
  readonly headers: string;
  /** Whether the values of these headers stay out of the trace. */
  readonly hidesHeaders: boolean;
  /** Whether to request a task (MCP 2025-11-25 tasks). */
  readonly asTask: boolean;
}

const unsetOptions: OptionsDraft = {
  timeout: '',
  maxTimeout: '',
  resetOnProgress: true,
  meta: '',
  headers: '',
  hidesHeaders: true,
  asTask: false,
};

/** Options of a call; timeouts in milliseconds, null means the server's setting. Invalid input counts as empty. */
export type SentOptions = Pick<
  Params<'calls/start'>,
  'timeout' | 'maxTimeout' | 'resetOnProgress' | 'meta' | 'headers' | 'task'
>;

/** Parses the entered options. @param isHttp whether the requests have headers */
export function readOptions(draft: OptionsDraft, isHttp: boolean) {
  const { timeout, maxTimeout, resetOnProgress, meta, asTask } = draft;
  const { headers } = readHeaders(draft);
  return {
    timeout: readTime(timeout),
    maxTimeout: readTime(maxTimeout),
    resetOnProgress,
    ...(meta.trim() !== '' && metaError(meta) === undefined && { meta }),
    ...(isHttp && headers.length > 0 && { headers }),
    ...(asTask && { task: { ttl: null } }),
  } satisfies SentOptions;
}

/** The most calls that run in parallel. */
export const MAX_PARALLEL = 100;

/** How many calls to run in parallel; null for invalid input. */
export function readParallel(typed: string): number | null {
  const count = /^\d{1,3}$/.test(typed.trim()) ? Number(typed) : 0;
  return count >= 2 && count <= MAX_PARALLEL ? count : null;
}

/** The error of entered `_meta`; undefined if it is valid. */
export function metaError(typed: string): string | undefined {
  if (typed.trim() === '') return undefined;
  const read = sendable(typed);
  return read.ok ? undefined : 'Not a JSON object, so it is not sent.';
}

/** The entered headers, and the error of the first line that is not a header. Such lines are not sent. */
export function readHeaders({
  headers: typed,
  hidesHeaders,
}: Pick<OptionsDraft, 'headers' | 'hidesHeaders'>): {
  readonly headers: CallHeader[];
  readonly error: string | undefined;
} {
  const headers: CallHeader[] = [];
  let error: string | undefined;
  for (const line of typed.split('\n').filter((one) => one.trim() !== '')) {
    const colon = line.indexOf(':');
    const [name, value] = colon === -1 ? ['', ''] : [line.slice(0, colon).trim(), line.slice(colon + 1)];
    const secret = hidesHeaders || isSecretHeader(name);
    const read = callHeaderSchema.safeParse({ name, value: value.trim(), secret });
    if (read.success) headers.push(read.data);
    else
      error ??= `"${name || line.trim()}" is not sent: ${name === '' ? 'write Name: value' : read.error.issues[0]?.message}.`;
  }
  return { headers, error };
}

/** Milliseconds; null for invalid input. */
function readTime(typed: string): number | null {
  if (!/^\d+(\.\d+)?$/.test(typed.trim())) return null;
  return millisecondsSchema.safeParse(Math.round(Number(typed) * 1000)).data ?? null;
}

/** The error of an entered time; undefined if it is valid. */
export const timeError = (typed: string): string | undefined =>
  typed === '' || readTime(typed) !== null
    ? undefined
    : 'Not a number of seconds up to a day: the server’s setting applies.';
