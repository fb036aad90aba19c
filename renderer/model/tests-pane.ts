import { useEffect, useState } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Call } from '#shared/contract/calls.ts';
import {
  anyResult,
  type CallOutcome,
  type Expectations,
  expectedStates,
  plainCall,
  type SavedCall,
  TEST_FILE_END,
  type TestFile,
  type ValueCheck,
} from '#shared/contract/saved-calls.ts';
import { parsePath, textAtPath } from '#shared/json/path.ts';
import { useAppInfo } from './app-info.ts';
import { resultOf } from './calls.ts';
import { chosenByServer, entryOf, keepChoice, keepInPlace } from './place.ts';
import { noteRecent } from './recent.ts';
import { selectPane, selectServer, useSelection } from './selection.ts';
import { useServers } from './servers.ts';

/** A saved call that is edited. */
export interface OpenSavedCall {
  readonly serverId: string;
  /** Its index in the file; null for a new one. */
  readonly index: number | null;
  readonly call: SavedCall;
}

/** Arguments to put into the form of a tool. */
interface FormRequest {
  readonly serverId: string;
  readonly tool: string;
  readonly arguments: string;
}

/** What runs many times: the call of the Tools pane, or calls of the test file; null for all of these. */
export type LoadChoice = { readonly of: 'tool' } | { readonly of: 'file'; readonly name: string | null };

/** A tool of the Tools pane. */
interface LoadTool {
  readonly name: string;
  /** The arguments in its form at the moment, as JSON text. */
  readonly readArguments: () =>
    | { readonly ok: true; readonly text: string }
    | { readonly ok: false; readonly error: string };
}

/** How often and how fast a load runs; texts as typed. */
export interface LoadNumbers {
  readonly count: string;
  readonly schedule: 'concurrency' | 'rate';
  readonly concurrency: string;
  readonly rate: string;
}

export const firstLoadNumbers: LoadNumbers = {
  count: '100',
  schedule: 'concurrency',
  concurrency: '1',
  rate: '10',
};

interface TestingState {
  readonly view: 'saved' | 'negative' | 'load';
  /** The test file, by server. */
  readonly paths: Readonly<Record<string, string>>;
  readonly editing: OpenSavedCall | null;
  /** The tool whose negative inputs are shown, by server; null for everything. */
  readonly negativeTarget: Readonly<Record<string, string | null>>;
  /** Servers whose negative inputs the user agreed to send. */
  readonly consented: readonly string[];
  readonly formRequest: FormRequest | null;
  /** What runs many times, by server. */
  readonly loads: Readonly<Record<string, LoadChoice>>;
  /** How often and how fast it runs, by server. */
  readonly loadNumbers: Readonly<Record<string, LoadNumbers>>;
  /** The tool that was to run many times last, by server. */
  readonly loadTools: Readonly<Record<string, LoadTool>>;
}

/** State of the Tests pane, kept while the app runs. */
export const useTesting = create<TestingState>()(() => ({
  view: 'saved',
  paths: {},
  editing: null,
  negativeTarget: {},
  consented: [],
  formRequest: null,
  loads: {},
  loadNumbers: {},
  loadTools: {},
}));

keepInPlace<TestingState, string>(useTesting, {
  prefix: 'test-file ',
  get: ({ paths }) => paths,
  set: (paths) => ({ paths }),
  ...chosenByServer,
});

keepInPlace<TestingState, LoadNumbers>(useTesting, {
  prefix: 'load ',
  get: ({ loadNumbers }) => loadNumbers,
  set: (loadNumbers) => ({ loadNumbers }),
  toEntry: ({ schedule, ...typed }, serverId) => entryOf(serverId, { chosen: { schedule }, typed }),
  fromEntry: ({ chosen, typed }) => ({
    ...firstLoadNumbers,
    ...typed,
    schedule: chosen.schedule === 'rate' ? 'rate' : 'concurrency',
  }),
});

keepChoice(useTesting, {
  name: 'tests-view',
  values: ['saved', 'negative', 'load'],
  get: ({ view }) => view,
  set: (view) => ({ view }),
});

export const showTestingView = (view: TestingState['view']): void => useTesting.setState({ view });

export const editSavedCall = (editing: OpenSavedCall | null): void => useTesting.setState({ editing });

export const consentTo = (serverId: string): void =>
  useTesting.setState(({ consented }) => ({ consented: [...consented, serverId] }));

export const chooseNegativeTarget = (serverId: string, tool: string | null): void =>
  useTesting.setState(({ negativeTarget }) => ({ negativeTarget: { ...negativeTarget, [serverId]: tool } }));

/** Whether there is a server to test: a recorded session has none. */
export const useCanTest = (): boolean => useSelection(({ openedId }) => openedId === null);

/** Shows the negative inputs of a tool. */
export function openNegativeInputs(tool: string): void {
  const { serverId } = useSelection.getState();
  if (serverId === null) return;
  chooseNegativeTarget(serverId, tool);
  showTestingView('negative');
  selectPane('tests');
}

export const chooseLoad = (serverId: string, choice: LoadChoice): void =>
  useTesting.setState(({ loads }) => ({ loads: { ...loads, [serverId]: choice } }));

export const changeLoadNumbers = (serverId: string, changed: Partial<LoadNumbers>): void =>
  useTesting.setState(({ loadNumbers }) => ({
    loadNumbers: {
      ...loadNumbers,
      [serverId]: { ...(loadNumbers[serverId] ?? firstLoadNumbers), ...changed },
    },
  }));

/** Shows the form that runs saved calls many times, or a tool with the arguments in its form. */
export function openLoad(choice: Exclude<LoadChoice, { readonly of: 'tool' }> | LoadTool): void {
  const { serverId } = useSelection.getState();
  if (serverId === null) return;
  if ('of' in choice) chooseLoad(serverId, choice);
  else {
    useTesting.setState(({ loadTools }) => ({ loadTools: { ...loadTools, [serverId]: choice } }));
    chooseLoad(serverId, { of: 'tool' });
  }
  showTestingView('load');
  selectPane('tests');
}

/** Opens the form that saves a call, with expectations taken from its result. */
export async function saveCall(ended: Call): Promise<void> {
  const { serverId } = useSelection.getState();
  if (serverId === null) return;
  const { text } = await resultOf(ended).catch(() => ({ text: null }));
  const { tool, method } = ended;
  editSavedCall({
    serverId,
    index: null,
    call: {
      name: tool ?? method,
      method,
      tool,
      arguments: ended.arguments,
      ...plainCall,
      expect: proposedExpectations(ended, text),
    },
  });
  showTestingView('saved');
  selectPane('tests');
}

/** A longer text is expected to be a string only. */
const MAX_EQUAL = 300;

/** Expects of the next call what came of this one. */
export function proposedExpectations(ended: Call, result: string | null): Expectations {
  const status = expectedStates.find((state) => state === ended.state && state !== 'cancelled') ?? 'ok';
  return {
    ...anyResult,
    status,
    code: ended.error?.code ?? null,
    values: result === null ? [] : [...firstText(result)],
    schema: ended.outputValidation?.state === 'valid' ? 'output' : null,
  };
}

function* firstText(result: string): Generator<ValueCheck> {
  const path = '$.content[0].text';
  const text = textAtPath(result, parsePath(path) ?? []);
  if (text === null || !text.startsWith('"')) return;
  // A variable would be looked for.
  const isExact = text.length <= MAX_EQUAL && !text.includes('${');
  yield { path, check: isExact ? { kind: 'equals', value: text } : { kind: 'type', type: 'string' } };
}

/** Shows the form of a tool with these arguments. */
export function openInForm(serverId: string, tool: string, args: string): void {
  useTesting.setState({ formRequest: { serverId, tool, arguments: args } });
  selectPane('tools');
}

/** Hands over the arguments that were requested for the form of a tool, until `take` returns true. */
export function useArgumentsToLoad(serverId: string, take: (tool: string, args: string) => boolean): void {
  const request = useTesting(({ formRequest }) => formRequest);
  useEffect(() => {
    if (request === null || request.serverId !== serverId) return;
    if (take(request.tool, request.arguments)) useTesting.setState({ formRequest: null });
  });
}

/** Makes a file the test file of a server. */
export function chooseTestFile(serverId: string, path: string): void {
  useTesting.setState(({ paths }) => ({ paths: { ...paths, [serverId]: path } }));
  noteRecent({ kind: 'calls', path, serverId });
}

/** Shows a file in the Tests pane of a server. */
export function openTestFile(serverId: string, path: string): void {
  chooseTestFile(serverId, path);
  editSavedCall(null);
  showTestingView('saved');
  selectServer(serverId);
  selectPane('tests');
}

/** The path of the test file of a server: the one that was chosen last, or one in the data folder. */
export function useTestFilePath(serverId: string): readonly [string, (path: string) => void] {
  const chosen = useTesting(({ paths }) => paths[serverId]);
  const folder = useAppInfo(({ info }) => info?.dataFolder ?? '');
  const name = useServers(({ servers }) => servers.find(({ id }) => id === serverId)?.name ?? 'server');
  return [
    chosen ?? `${folder}/tests/${name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')}${TEST_FILE_END}`,
    (path) => chooseTestFile(serverId, path),
  ];
}

/** The last outcomes of the calls of a file by name, as they come. */
export function useOutcomes(path: string): ReadonlyMap<string, CallOutcome> {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, CallOutcome>>(new Map());
  useEffect(() => {
    let isCurrent = true;
    const stop = on('saved-calls/ran', (outcome) => {
      if (outcome.path === path) setOutcomes((before) => new Map(before).set(outcome.name, outcome));
    });
    call('saved-calls/outcomes', { path }).then(
      (list) =>
        isCurrent &&
        setOutcomes((newer) => new Map([...list.map((one) => [one.name, one] as const), ...newer])),
      // A path that cannot be used is reported where the file is read.
      () => undefined,
    );
    return () => {
      isCurrent = false;
      stop();
      setOutcomes(new Map());
    };
  }, [path]);
  return outcomes;
}

/** Whether a name belongs to another call of the file; outcomes are remembered by name. */
export const isNameTaken = (file: TestFile | null, name: string, index: number | null): boolean =>
  file?.calls.some((one, at) => one.name === name && at !== index) ?? false;
