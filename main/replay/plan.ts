import type { Tool } from '#shared/contract/catalog.ts';
import type { PlannedCalls, ReplayEffect, ReplayScope } from '#shared/contract/replay.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { callsOnly, callsTool, listedTools, requestText } from '#testing/called-tools.ts';
import type { TestedSession } from '#testing/tested-session.ts';
import { placeholdersIn } from './recorded-secrets.ts';
import { isReplayable } from './replay-calls.ts';

/** The calls of a recording that a scope names, by their own rows or those of their responses. */
export function rowsOfScope(calls: readonly TracedCall[], scope: ReplayScope): TracedCall[] {
  const replayable = calls.filter(isReplayable);
  switch (scope.of) {
    case 'all':
      return replayable;
    case 'rows': {
      const rows = new Set(scope.rows);
      return replayable.filter((call) => rowsOf(call).some((row) => rows.has(row)));
    }
    case 'from': {
      const first = replayable.find((call) => rowsOf(call).includes(scope.row));
      return replayable.filter(({ row }) => row >= (first?.row ?? scope.row));
    }
  }
}

/** The rows of a call, its response and the task that was created for it. */
const rowsOf = ({ row, responseRow, task }: TracedCall): number[] =>
  [row, responseRow, task?.row].filter((one) => typeof one === 'number');

/** The calls by method and target, with what the tools do by the annotations that the session's server gives them. */
export function plannedCalls(calls: readonly TracedCall[], session: TestedSession): PlannedCalls[] {
  const groups = new Map<string, TracedCall[]>();
  for (const call of calls) {
    const key = JSON.stringify([call.method, call.target]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [call]);
    else group.push(call);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { method, target } = first;
    const texts = group.map((call) => requestText(call.method, call.params));
    const isTool = method === 'tools/call' || texts.some(callsTool);
    const [tool = null, ...others] = isTool ? listedTools(session, target) : [];
    // A call that may be read as one of another tool, or of one listed twice, may do anything.
    const isClear = others.length === 0 && texts.every((text) => callsOnly(target, text));
    return {
      method,
      target,
      count: group.length,
      unsendable: group.filter(({ outcome }) => outcome === 'none').length,
      withSecrets: withSecrets(group),
      effect: !isTool ? 'request' : isClear ? effectOf(tool) : 'unannotated',
      isListed: !isTool || tool !== null,
      hints: hintsOf(tool),
    };
  });
}

/** How many of the calls that have a response need which secrets. */
function withSecrets(calls: readonly TracedCall[]): PlannedCalls['withSecrets'] {
  const counts = new Map<string, { placeholders: string[]; count: number }>();
  for (const { outcome, params } of calls) {
    const placeholders = placeholdersIn(params ?? '').toSorted();
    if (outcome === 'none' || placeholders.length === 0) continue;
    const key = JSON.stringify(placeholders);
    const before = counts.get(key);
    if (before === undefined) counts.set(key, { placeholders, count: 1 });
    else before.count++;
  }
  return [...counts.values()];
}

/** A tool that may write may also destroy unless it says otherwise (MCP 2025-03-26 schema, ToolAnnotations). */
function effectOf(tool: Tool | null): ReplayEffect {
  const { readOnlyHint, destructiveHint } = tool?.annotations ?? {};
  if (readOnlyHint === true) return 'reads';
  if (destructiveHint === false) return 'writes';
  return readOnlyHint === undefined && destructiveHint === undefined ? 'unannotated' : 'destructive';
}

const hintNames = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

const hintsOf = (tool: Tool | null): string[] =>
  hintNames.flatMap((name) => {
    const value = tool?.annotations?.[name];
    return value === undefined ? [] : [`${name}: ${value}`];
  });
