import { create } from 'zustand';
import { call, on } from '#bridge';
import type { ComparisonRule, OpenComparison } from '#shared/contract/comparison.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Payload, Result } from '#shared/contract/index.ts';
import {
  MIN_REPLAY_SECRET,
  type PlannedCalls,
  type ReplayRun,
  type ReplayScope,
  type StepAnswer,
} from '#shared/contract/replay.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { faultOf } from './faults.ts';
import { isPaneShown, selectOpened, selectPane, selectServer, useSelection } from './selection.ts';
import { useSessions } from './sessions.ts';
import { offerUndo } from './undo.ts';
import { beginOf, openInBackground, useTraces } from './traces.ts';

/** What a recording is replayed or compared with: a session, or a trace file. `so-far`: a session, without a replay in it. */
export type Side =
  | { readonly of: 'session' | 'so-far'; readonly sessionId: string }
  | { readonly of: 'file'; readonly path: string };

export interface ReplaySetup {
  /** The recording of a live pane; null for the one that is proposed. */
  readonly recording: Side | null;
  /** What the recording of an opened trace is compared with; null until it is chosen. */
  readonly against: Side | null;
  readonly scope: ReplayScope;
  readonly timing: 'fast' | 'original' | 'times';
  /** How many times as fast as it was recorded. */
  readonly times: number;
  readonly isStepped: boolean;
  /** What the user ticked or unticked, by `callKey`. */
  readonly ticks: Readonly<Record<string, boolean>>;
  /** Values of the recording's secrets by placeholder, as typed. Never kept beyond the run of the app. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** The two sides of a comparison on screen. */
export interface ComparedSides {
  readonly recorded: string;
  readonly other: string;
  /** What was sent, if the other side is a replay. */
  readonly replay: ReplayRun | null;
}

export type ReplayStage =
  | { readonly at: 'setup' }
  | {
      readonly at: 'running';
      readonly sessionId: string;
      readonly done: number;
      readonly total: number;
      /** The call that waits to be sent. */
      readonly waiting: Payload<'replay/waiting'> | null;
      readonly isStopping: boolean;
    }
  | { readonly at: 'comparing' }
  | { readonly at: 'compared'; readonly sides: ComparedSides; readonly comparison: OpenComparison };

export interface ReplayView {
  readonly setup: ReplaySetup;
  readonly stage: ReplayStage;
  readonly fault: Fault | null;
  /** The calls with their annotations that the user agreed to send last; null before. */
  readonly consented: string | null;
  /** Whether the tools changed since then, so that the user has to agree again. */
  readonly mustConsentAgain: boolean;
}

const firstView: ReplayView = {
  setup: {
    recording: null,
    against: null,
    scope: { of: 'all' },
    timing: 'fast',
    times: 10,
    isStepped: false,
    ticks: {},
    secrets: {},
  },
  stage: { at: 'setup' },
  fault: null,
  consented: null,
  mustConsentAgain: false,
};

const useViews = create<Readonly<Record<string, ReplayView>>>()(() => ({}));

/** The Replay pane of a server, or of an opened trace by its session id; kept while the app runs. */
export const useReplayView = (paneId: string): ReplayView => useViews((views) => views[paneId] ?? firstView);

const viewOf = (paneId: string): ReplayView => useViews.getState()[paneId] ?? firstView;

const update = (paneId: string, change: Partial<ReplayView>): void =>
  useViews.setState({ [paneId]: { ...viewOf(paneId), ...change } });

export const changeSetup = (paneId: string, change: Partial<ReplaySetup>): void =>
  update(paneId, { setup: { ...viewOf(paneId).setup, ...change }, fault: null });

/** Shows the choice of what to replay or compare. */
export const showSetup = (paneId: string): void => update(paneId, { stage: { at: 'setup' }, fault: null });

/** Names calls of one tool, prompt or URI. */
export const callKey = ({ method, target }: Pick<PlannedCalls, 'method' | 'target'>): string =>
  JSON.stringify([method, target]);

/** Whether calls are sent: what the user ticked, else all but those of tools that may destroy or do not say what they do. */
export const isTicked = (planned: PlannedCalls, ticks: ReplaySetup['ticks']): boolean =>
  ticks[callKey(planned)] ?? (planned.effect !== 'destructive' && planned.effect !== 'unannotated');

/** How many of these calls are sent, with the secrets that were given. */
export const sendableOf = (
  { count, unsendable, withSecrets }: PlannedCalls,
  secrets: ReplaySetup['secrets'],
): number =>
  withSecrets
    .filter(({ placeholders }) => placeholders.some((one) => !isGiven(secrets[one])))
    .reduce((left, missing) => left - missing.count, count - unsendable);

/** A shorter value could not be kept out of the trace. */
const isGiven = (value: string | undefined): value is string =>
  value !== undefined && value.length >= MIN_REPLAY_SECRET;

/** What the user agrees to: the tools with their annotations, and which of them are called. */
const consentText = (calls: readonly PlannedCalls[], ticks: ReplaySetup['ticks']): string =>
  JSON.stringify(
    calls.map((planned) => [callKey(planned), planned.effect, planned.hints, isTicked(planned, ticks)]),
  );

/** What is replayed: the calls of a recording, in a session that is ready. */
interface Replay {
  readonly recorded: string;
  readonly sessionId: string;
  readonly plan: Pick<Result<'replay/plan'>, 'rows' | 'calls' | 'secrets'>;
}

/** Replays calls that the user has agreed to, and compares the responses. Never rejects. */
export async function runReplay(paneId: string, { recorded, sessionId, plan }: Replay): Promise<void> {
  const { setup } = viewOf(paneId);
  update(paneId, {
    stage: { at: 'running', sessionId, done: 0, total: plan.rows.length, waiting: null, isStopping: false },
    fault: null,
    consented: consentText(plan.calls, setup.ticks),
    mustConsentAgain: false,
  });
  const stops = [
    on('replay/advanced', ({ sessionId: of, done, total }) => {
      if (of === sessionId) updateRun(paneId, { done, total });
    }),
    on('replay/waiting', (waiting) => {
      if (waiting.sessionId === sessionId) updateRun(paneId, { waiting });
    }),
  ];
  try {
    const replay = await call('replay/run', {
      recorded,
      sessionId,
      rows: [...plan.rows],
      allowWrites: true,
      speed: setup.timing === 'fast' ? null : setup.timing === 'original' ? 1 : setup.times,
      leaveOut: plan.calls
        .filter((planned) => !isTicked(planned, setup.ticks))
        .map(({ method, target }) => ({ method, target })),
      isStepped: setup.isStepped,
      variables: Object.fromEntries(
        plan.secrets.flatMap(({ placeholder }) => {
          const value = setup.secrets[placeholder];
          return isGiven(value) ? [[placeholder, JSON.stringify(value)]] : [];
        }),
      ),
    });
    await compare(paneId, { recorded, other: sessionId, replay });
  } catch (error) {
    update(paneId, { stage: { at: 'setup' }, fault: faultOf(error) });
  } finally {
    for (const stop of stops) stop();
  }
}

function updateRun(paneId: string, change: Partial<Extract<ReplayStage, { at: 'running' }>>): void {
  const { stage } = viewOf(paneId);
  if (stage.at === 'running') update(paneId, { stage: { ...stage, ...change } });
}

/** Replays the same calls again, or asks again if the tools have changed since the user agreed. Never rejects. */
export async function replayAgain(paneId: string, recorded: string, sessionId: string): Promise<void> {
  const { setup, consented } = viewOf(paneId);
  try {
    const plan = await call('replay/plan', { recorded, sessionId, scope: setup.scope });
    if (consentText(plan.calls, setup.ticks) === consented)
      await runReplay(paneId, { recorded, sessionId, plan });
    else update(paneId, { stage: { at: 'setup' }, mustConsentAgain: true });
  } catch (error) {
    update(paneId, { fault: faultOf(error) });
  }
}

/** Answers whether to send the call that waits. Never rejects. */
export async function stepReplay(
  paneId: string,
  { sessionId, recordedRow }: Payload<'replay/waiting'>,
  answer: StepAnswer,
): Promise<void> {
  updateRun(paneId, { waiting: null });
  try {
    await call('replay/step', { sessionId, recordedRow, answer });
  } catch (error) {
    update(paneId, { fault: faultOf(error) });
  }
}

/** Sends no further call. Never rejects. */
export async function stopReplay(paneId: string, sessionId: string): Promise<void> {
  updateRun(paneId, { isStopping: true, waiting: null });
  try {
    await call('replay/stop', { sessionId });
  } catch (error) {
    update(paneId, { fault: faultOf(error) });
  }
}

/** Stops a run that this window does not show: it was begun before the page was loaded again. Never rejects. */
export async function stopUnseenReplay(paneId: string, sessionId: string): Promise<void> {
  try {
    await call('replay/stop', { sessionId });
    update(paneId, { fault: null });
  } catch (error) {
    update(paneId, { fault: faultOf(error) });
  }
}

/** Compares two sessions, and gives the comparison the room of the trace. Never rejects. */
export async function compare(paneId: string, sides: ComparedSides): Promise<void> {
  const { stage: before } = viewOf(paneId);
  const isAgain = before.at === 'compared';
  const isLeft = isAgain ? () => false : showComparing(paneId);
  const { recorded, other, replay } = sides;
  try {
    const comparison = await call('comparison/open', { recorded, other, replay });
    if (isLeft()) {
      await call('comparison/close', { comparisonId: comparison.id });
      return;
    }
    update(paneId, { stage: { at: 'compared', sides, comparison }, fault: null });
    if (before.at === 'compared') await call('comparison/close', { comparisonId: before.comparison.id });
    else takeRoom(paneId);
  } catch (error) {
    if (!isLeft()) update(paneId, { stage: isAgain ? before : { at: 'setup' }, fault: faultOf(error) });
  }
}

/** Shows that a comparison is under way. Returns whether the user has left it since for another form. */
function showComparing(paneId: string): () => boolean {
  const stage = { at: 'comparing' } as const;
  update(paneId, { stage, fault: null });
  return () => viewOf(paneId).stage !== stage;
}

/** The id of a side in the engine: a file is opened first. */
export const sessionOf = (side: Side): Promise<string> | string =>
  side.of === 'file' ? openInBackground(side.path) : side.sessionId;

/** Compares two recordings, which are opened first; the older one is the left. Never rejects. */
export async function compareSides(paneId: string, one: Side, other: Side): Promise<void> {
  // A file is read to its end, which may take a while.
  const isLeft = showComparing(paneId);
  try {
    const [first, second] = await Promise.all([sessionOf(one), sessionOf(other)]);
    if (isLeft()) return;
    const isNewer = (beginOf(first)?.at ?? 0) > (beginOf(second)?.at ?? 0);
    const [left, right] = isNewer ? [second, first] : [first, second];
    await compare(paneId, { recorded: left, other: right, replay: null });
  } catch (error) {
    if (!isLeft()) update(paneId, { stage: { at: 'setup' }, fault: faultOf(error) });
  }
}

/** Whether the room of the trace was taken for a comparison. */
let hasTakenRoom = false;

function takeRoom(paneId: string): void {
  const selection = useSelection.getState();
  if (selection.maximized !== null || !isPaneShown(selection, paneId, 'replay')) return;
  hasTakenRoom = true;
  useSelection.setState({ maximized: 'top' });
}

/** Gives the trace its room back when the pane is left, unless the user has changed that. */
export function returnRoom(): void {
  if (hasTakenRoom && useSelection.getState().maximized === 'top') {
    useSelection.setState({ maximized: null });
  }
  hasTakenRoom = false;
}

/** Expects the other response to a call from now on, or the recorded one again, and compares again. Never rejects. */
export async function acceptResponse(paneId: string, place: number, isAccepted: boolean): Promise<void> {
  const { stage } = viewOf(paneId);
  if (stage.at !== 'compared') return;
  try {
    await call('comparison/accept', { comparisonId: stage.comparison.id, place, isAccepted });
  } catch (error) {
    update(paneId, { fault: faultOf(error) });
    return;
  }
  await compare(paneId, stage.sides);
}

/** Saves the rules of the recorded server, and compares again. Never rejects. */
export async function saveRules(paneId: string, rules: readonly ComparisonRule[]): Promise<void> {
  const { stage } = viewOf(paneId);
  if (stage.at !== 'compared') return;
  try {
    await call('comparison/save-rules', { sessionId: stage.sides.recorded, rules: [...rules] });
  } catch (error) {
    update(paneId, { fault: faultOf(error) });
    return;
  }
  await compare(paneId, stage.sides);
}

/** Removes a rule, which can be undone. Never rejects. */
export async function removeRule(paneId: string, rule: ComparisonRule): Promise<void> {
  const { stage } = viewOf(paneId);
  if (stage.at !== 'compared') return;
  const sessionId = stage.sides.recorded;
  const others = async () =>
    (await call('comparison/rules', { sessionId })).filter(({ path }) => path !== rule.path);
  try {
    await saveRules(paneId, await others());
  } catch (error) {
    return update(paneId, { fault: faultOf(error) });
  }
  offerUndo(`Removed the rule for “${rule.path}”`, async () => {
    const rules = [...(await others()), rule];
    await call('comparison/save-rules', { sessionId, rules });
    const now = viewOf(paneId).stage;
    if (now.at === 'compared' && now.sides.recorded === sessionId) await compare(paneId, now.sides);
  });
}

/** Whether a row is a call of ours, or its response. */
export const isReplayableRow = ({ kind, direction }: Pick<TraceRow, 'kind' | 'direction'>): boolean =>
  kind === 'request' ? direction === 'out' : (kind === 'result' || kind === 'error') && direction === 'in';

/** Shows the Replay pane for calls of a session or an opened trace; sends nothing. */
export function proposeReplay(sessionId: string, scope: ReplayScope): void {
  const isSession = sessionId in useSessions.getState().sessions;
  changeSetup(showReplayPane(sessionId), {
    scope,
    ...(isSession && { recording: { of: 'session' as const, sessionId } }),
  });
}

/** Shows the form of the Replay pane of a session or an opened trace, and returns the id of the pane. */
function showReplayPane(sessionId: string): string {
  const paneId = selectReplayPane(sessionId);
  showSetup(paneId);
  return paneId;
}

/** Shows the Replay pane of a session or an opened trace as it is, and returns its id. */
function selectReplayPane(sessionId: string): string {
  const session = useSessions.getState().sessions[sessionId];
  if (session !== undefined) selectServer(session.serverId);
  else selectOpened(sessionId);
  selectPane('replay');
  return session?.serverId ?? sessionId;
}

/** Shows the Replay pane of an opened trace, to choose what it is compared with. */
export function proposeComparison(sessionId: string): void {
  if (useTraces.getState().opened[sessionId] === undefined) return;
  selectOpened(sessionId);
  showSetup(sessionId);
  selectPane('replay');
}

/**
 * Compares a session, as far as it has come, or an opened trace with the recording in a file. While the pane replays or compares,
 * it only shows the pane. Never rejects.
 */
export async function compareWithFile(sessionId: string, path: string): Promise<void> {
  const paneId = selectReplayPane(sessionId);
  const { at } = viewOf(paneId).stage;
  if (at === 'running' || at === 'comparing') return;
  const file: Side = { of: 'file', path };
  const isSession = sessionId in useSessions.getState().sessions;
  changeSetup(paneId, { ...(isSession ? { recording: file } : { against: file }), scope: { of: 'all' } });
  await compareSides(paneId, file, { of: 'so-far', sessionId });
}

/** Compares the opened trace on screen with the recording in a file. */
export function compareShownWith(path: string): void {
  const { openedId } = useSelection.getState();
  if (openedId !== null) void compareWithFile(openedId, path);
}
