import { useMemo } from 'react';
import { create } from 'zustand';
import { byNewest, knownCalls, promptOf, sendRequest, useCalls } from '#model/calls.ts';
import type { CatalogLine } from '#model/catalog.ts';
import { setFault, useFault } from '#model/faults.ts';
import { chosenByServer, keepChoice, keepInPlace, typedFields } from '#model/place.ts';
import type { Call } from '#shared/contract/calls.ts';
import type { PromptEntry } from '#shared/contract/catalog.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { PROMPTS_GET } from '#shared/protocol/methods.ts';

export type PromptLine = CatalogLine<PromptEntry>;

/** Shows a prompt as messages or as raw JSON. */
export type PromptView = 'messages' | 'raw';

interface PromptsState {
  /** Key of the selected entry, by server. */
  readonly selected: Readonly<Record<string, string>>;
  /** The entered arguments, by server and entry. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Id of the call shown, by session and prompt; the newest if there is none. */
  readonly shownCall: Readonly<Record<string, string | null>>;
  readonly view: PromptView;
}

/** State of the Prompts pane, kept while the app runs. */
export const usePromptsState = create<PromptsState>()(() => ({
  selected: {},
  values: {},
  shownCall: {},
  view: 'messages',
}));

keepInPlace<PromptsState, string>(usePromptsState, {
  prefix: 'prompt ',
  get: ({ selected }) => selected,
  set: (selected) => ({ selected }),
  ...chosenByServer,
});
keepInPlace<PromptsState, Readonly<Record<string, string>>>(usePromptsState, {
  prefix: 'prompt-draft ',
  get: ({ values }) => values,
  set: (values) => ({ values }),
  ...typedFields,
});
keepChoice(usePromptsState, {
  name: 'prompt-view',
  values: ['messages', 'raw'],
  get: ({ view }) => view,
  set: (view) => ({ view }),
});

const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);

export const selectPrompt = (serverId: string, key: string): void =>
  usePromptsState.setState((state) => ({ selected: { ...state.selected, [serverId]: key } }));

const noValues: Readonly<Record<string, string>> = {};

/** The arguments entered for a prompt, and how to change one. An empty one is not sent. */
export function usePromptValues(
  serverId: string,
  line: PromptLine,
): readonly [Readonly<Record<string, string>>, (name: string, value: string) => void] {
  const key = keyOf(serverId, line.key);
  const values = usePromptsState((state) => state.values[key]) ?? noValues;
  const change = (name: string, value: string) =>
    usePromptsState.setState((state) => ({
      values: { ...state.values, [key]: { ...state.values[key], [name]: value } },
    }));
  return [values, change];
}

/**
 * Shows a call of a prompt that was opened from the trace. Its arguments are put into the form, unless the user typed others
 * there that would be lost, because no request was made with them.
 */
export function showPromptOfCall(opened: Call, serverId: string, line: PromptLine): void {
  const { sessionId, id } = opened;
  const name = line.name ?? '';
  const key = keyOf(serverId, line.key);
  const typed = givenText(usePromptsState.getState().values[key] ?? noValues);
  const isInACall = knownCalls(sessionId).some(
    (one) => promptOf(one) === name && givenText(valuesOf(one)) === typed,
  );
  selectPrompt(serverId, line.key);
  if (isInACall || typed === givenText(noValues))
    usePromptsState.setState((state) => ({ values: { ...state.values, [key]: valuesOf(opened) } }));
  showPromptCall(sessionId, name, id);
}

/** The arguments of a call of a prompt. */
function valuesOf({ arguments: params }: Call): Readonly<Record<string, string>> {
  const parsed: unknown = JSON.parse(params);
  const given = isObject(parsed) && isObject(parsed.arguments) ? parsed.arguments : {};
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
}

/** The arguments that have a value, in an order that does not depend on who wrote them. */
const givenText = (values: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

export const showPromptCall = (sessionId: string, prompt: string, callId: string | null): void =>
  usePromptsState.setState((state) => ({
    shownCall: { ...state.shownCall, [keyOf(sessionId, prompt)]: callId },
  }));

interface PromptCalls {
  /** The `prompts/get` requests for one prompt, newest first. */
  readonly calls: readonly Call[];
  readonly shown: Call | null;
  /** Why the last one could not be sent. */
  readonly fault: Fault | null;
}

/** The requests for a prompt in a session, as they change. */
export function usePromptCalls(sessionId: string, prompt: string): PromptCalls {
  const { calls: all, fault: listFault } = useCalls(sessionId);
  const fault = useFault(faultKey(sessionId, prompt));
  const calls = useMemo(() => all.filter((one) => promptOf(one) === prompt).sort(byNewest), [all, prompt]);
  const shownId = usePromptsState((state) => state.shownCall[keyOf(sessionId, prompt)]);
  const shown = calls.find(({ id }) => id === shownId) ?? calls[0] ?? null;
  return { calls, shown, fault: fault ?? listFault };
}

const faultKey = (sessionId: string, prompt: string): string => keyOf('prompt', sessionId, prompt);

/** Gets a prompt with these arguments. Never rejects: what fails is the fault of `usePromptCalls`. */
export async function getPrompt(
  sessionId: string,
  prompt: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const key = faultKey(sessionId, prompt);
  setFault(key, null);
  showPromptCall(sessionId, prompt, null);
  const { call, fault } = await sendRequest({
    sessionId,
    method: PROMPTS_GET,
    params: promptParams(prompt, values),
    timeout: null,
  }).ended;
  if (call === null) setFault(key, fault);
}

/** The params of `prompts/get` as JSON text. Arguments without a value are left out (MCP prompts). */
export function promptParams(prompt: string, values: Readonly<Record<string, string>>): string {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  return JSON.stringify({ name: prompt, ...(Object.keys(given).length > 0 && { arguments: given }) });
}
