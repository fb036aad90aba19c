import { create } from 'zustand';
import { millisecondsSchema } from '#shared/contract/servers.ts';
import { readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import { initialValue } from '#ui/schema-form/initial-value.ts';
import { isSchema } from '#ui/schema-form/schema.ts';
import type { ToolLine } from './tool-catalog.ts';

/** What the user has written for a tool and not thrown away. The text is what is sent. */
export interface Draft {
  readonly text: string;
  readonly mode: 'form' | 'json';
  readonly times: RunTimes;
}

interface ToolsState {
  readonly drafts: Readonly<Record<string, Draft>>;
  /** The line selected, by server. */
  readonly selected: Readonly<Record<string, string>>;
  /** The call shown, by session and tool; the newest when there is none. */
  readonly shownCall: Readonly<Record<string, string | null>>;
  readonly resultView: ResultView;
}

/** A result by its content, or as it was sent. */
export type ResultView = 'content' | 'raw';

/** What the user did in the Tools pane, kept while the app runs. */
export const useToolsState = create<ToolsState>()(() => ({
  drafts: {},
  selected: {},
  shownCall: {},
  resultView: 'content',
}));

export const showResultAs = (resultView: ResultView): void => useToolsState.setState({ resultView });

const draftKey = (serverId: string, line: ToolLine): string => JSON.stringify([serverId, line.key]);
export const shownCallKey = (sessionId: string, tool: string | null): string =>
  JSON.stringify([sessionId, tool]);

export const selectTool = (serverId: string, key: string): void =>
  useToolsState.setState(({ selected }) => ({ selected: { ...selected, [serverId]: key } }));

export const showCall = (key: string, callId: string | null): void =>
  useToolsState.setState(({ shownCall }) => ({ shownCall: { ...shownCall, [key]: callId } }));

/** The draft of a tool: what was written, or what its schema starts with. */
export function useDraft(
  serverId: string,
  line: ToolLine,
): readonly [Draft, (change: Partial<Draft>) => void] {
  const key = draftKey(serverId, line);
  const kept = useToolsState(({ drafts }) => drafts[key]);
  const draft = kept ?? firstDraft(line);
  const change = (part: Partial<Draft>) =>
    useToolsState.setState(({ drafts }) => ({
      drafts: { ...drafts, [key]: { ...(drafts[key] ?? draft), ...part } },
    }));
  return [draft, change];
}

/** The first draft of each entry: its schema's defaults, with the digits of its numbers as the server wrote them. */
const firstDrafts = new WeakMap<ToolLine['entry'], Draft>();

function firstDraft({ entry }: ToolLine): Draft {
  const known = firstDrafts.get(entry);
  if (known) return known;
  const read = readJson(entry.raw);
  const schema = read.ok && isSchema(read.value) ? read.value.inputSchema : undefined;
  const start = isSchema(schema) ? initialValue(schema) : undefined;
  const draft: Draft = {
    text: writeJson(isSchema(start) ? start : {}),
    mode: entry.usable ? 'form' : 'json',
    times: unsetTimes,
  };
  firstDrafts.set(entry, draft);
  return draft;
}

export type Sendable =
  | { readonly ok: true; readonly text: string }
  /** Why it cannot be sent as arguments. */
  | { readonly ok: false; readonly why: string };

/** The arguments exactly as they will be sent: as written, without the white space between tokens. */
export function sendable(text: string): Sendable {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
  if (!isSchema(parsed)) return { ok: false, why: 'Arguments are a JSON object.' };
  return { ok: true, text: text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1') };
}

/** How long the calls of a tool may take, as the user wrote it; an empty time is the server's setting. */
export interface RunTimes {
  /** Seconds without an answer. */
  readonly timeout: string;
  /** Seconds in all. */
  readonly maxTimeout: string;
  /** Whether progress restarts the timeout. */
  readonly resetOnProgress: boolean;
}

const unsetTimes: RunTimes = { timeout: '', maxTimeout: '', resetOnProgress: true };

/** What goes with a call, in milliseconds; null is the server's setting. What cannot be read counts as empty. */
export interface CallTimes {
  readonly timeout: number | null;
  readonly maxTimeout: number | null;
  readonly resetOnProgress: boolean;
}

export const readTimes = ({ timeout, maxTimeout, resetOnProgress }: RunTimes): CallTimes => ({
  timeout: readTime(timeout),
  maxTimeout: readTime(maxTimeout),
  resetOnProgress,
});

/** Milliseconds, or null when nothing readable was written. */
function readTime(typed: string): number | null {
  if (!/^\d+(\.\d+)?$/.test(typed.trim())) return null;
  return millisecondsSchema.safeParse(Math.round(Number(typed) * 1000)).data ?? null;
}

/** What is wrong with a time, in one sentence; undefined when nothing is. */
export const timeProblem = (typed: string): string | undefined =>
  typed === '' || readTime(typed) !== null
    ? undefined
    : 'Not a number of seconds up to a day: the server’s setting holds.';
