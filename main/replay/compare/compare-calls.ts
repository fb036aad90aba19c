import {
  type CallClass,
  type CallComparison,
  type ComparedCall,
  differenceTexts,
  type IgnoredPath,
  type ValueDifference,
} from '#shared/contract/comparison.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { MAX_TRACED_RESPONSE, type TracedCall } from '#shared/contract/trace.ts';
import type { SkipReason } from '#shared/contract/replay.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { previewOfParams } from '#shared/json/in-line.ts';
import { memberText } from '#shared/json/members.ts';
import { pathText } from '#shared/json/path-pattern.ts';
import { pointerPath } from '#shared/json/pointer.ts';
import { subjectField } from '#shared/protocol/jsonrpc.ts';
import type { CallPair } from './align-calls.ts';
import type { Moments } from './stamps.ts';
import type { ValueComparer } from './value-differences.ts';

export interface CallComparerOptions {
  readonly values: ValueComparer;
  /** The output schema that a tool had in the recorded session, as JSON text; null if it had none. */
  readonly outputSchemaOf: (tool: string) => string | null;
  /** Validates a value against a JSON Schema; both are JSON text. */
  readonly validate: (schema: string, value: string) => Validation;
  /** Rows of recorded calls whose response is one that was accepted since. */
  readonly acceptedRows: ReadonlySet<number>;
}

/** Compares the responses to one call, and its params where they could not be found equal. */
export function compareCall(
  { recorded, other, skipped }: CallPair,
  options: CallComparerOptions,
): CallComparison {
  const call = recorded ?? other;
  if (call === null) throw new Error('a pair has at least one call');
  const { method, target, direction } = call;
  const about = {
    method,
    target,
    paramsPreview: previewOf(call),
    direction,
    recorded: recorded && comparedOf(recorded),
    other: other && comparedOf(other),
    isAccepted: recorded !== null && options.acceptedRows.has(recorded.row),
  };
  const nothing = { differences: [], ignored: [] };
  if (skipped !== null) return { ...about, ...nothing, class: 'skipped', summary: skipTexts[skipped] };
  if (other === null) {
    const summary = direction === 'in' ? 'the server no longer sends this request' : 'not in the other trace';
    return { ...about, ...nothing, class: 'missing', summary };
  }
  if (recorded === null)
    return { ...about, ...nothing, class: 'extra', summary: 'not in the recorded trace' };

  const moments = { recorded: receivedAt(recorded), other: receivedAt(other) };
  const params = options.values.compare(recorded.params ?? '{}', other.params ?? '{}', {
    at: ['params'],
    moments,
  });
  const { differences, ignored } = responseDifferences(recorded, other, options.values, moments);
  const found = {
    differences: [...params.differences, ...differences],
    ignored: [...params.ignored, ...ignored],
  };
  const unclear = whyUnclear(recorded, other) ?? whyNotCompared(found);
  if (unclear !== null) return { ...about, ...found, class: 'unclear', summary: unclear };
  if (recorded.outcome !== other.outcome) {
    return { ...about, ...found, class: 'flipped', summary: flippedText(recorded, other) };
  }
  const broken = differences.length === 0 ? null : brokenOutput(recorded, other, options);
  if (broken !== null) return { ...about, ...found, class: 'breaking', summary: broken };
  return { ...about, ...found, class: classOf(found), summary: summaryOf(found) };
}

const skipTexts: Readonly<Record<SkipReason, string>> = {
  writes: 'not read-only by its annotations, so it was not sent',
  secret: 'its params held a secret, which the recording does not have, so it was not sent',
  'no-response': 'had no response in the recording, so it was not sent',
  'not-listed': 'the server no longer lists this tool, so it was not sent',
  declined: 'you left it out',
  stopped: 'the replay was stopped before it',
};

const previewOf = ({ method, target, params }: TracedCall): string =>
  previewOfParams(params ?? '', target === null ? undefined : subjectField(method));

const comparedOf = ({ row, responseRow, outcome, duration }: TracedCall): ComparedCall => ({
  row,
  responseRow,
  outcome,
  duration,
});

interface Found {
  readonly differences: readonly ValueDifference[];
  readonly ignored: readonly IgnoredPath[];
}

/** Milliseconds since the Unix epoch; null if the trace does not say. */
const receivedAt = ({ startedAt, duration }: TracedCall): number | null =>
  startedAt === undefined ? null : startedAt + (duration ?? 0) / 1000;

function responseDifferences(
  recorded: TracedCall,
  other: TracedCall,
  values: ValueComparer,
  moments: Moments,
): Found {
  if (recorded.response === null || other.response === null) return { differences: [], ignored: [] };
  // A result and an error have nothing in common that could be compared.
  if ((recorded.outcome === 'error') !== (other.outcome === 'error')) return { differences: [], ignored: [] };
  return values.compare(recorded.response, other.response, { moments });
}

function classOf({ differences, ignored }: Found): CallClass {
  if (differences.length > 0) return 'behavior';
  return ignored.length > 0 ? 'noise' : 'same';
}

/** Why two responses cannot be compared; null if they can. */
function whyUnclear(recorded: TracedCall, other: TracedCall): string | null {
  if (recorded.isTooLarge || other.isTooLarge)
    return `a response is larger than ${formatBytes(MAX_TRACED_RESPONSE)}`;
  if (recorded.outcome === 'none' && other.outcome === 'none') return 'neither has a response';
  if (recorded.outcome === 'none') return 'the recorded call has no response';
  if (other.outcome === 'none') return 'no response came';
  return null;
}

/** Why a part of the values was not compared; null if all were. */
function whyNotCompared({ differences }: Found): string | null {
  const left = differences.find(({ kind }) => kind === 'not-compared');
  return left === undefined
    ? null
    : `${left.path} was not compared: it is too large, or holds too many values`;
}

const outcomeTexts: Readonly<Record<TracedCall['outcome'], string>> = {
  ok: 'a result',
  'tool-error': 'a result with isError',
  error: 'an error',
  none: 'no response',
};

function flippedText(recorded: TracedCall, other: TracedCall): string {
  const code = other.outcome === 'error' ? memberText(other.response ?? '', ['code']) : null;
  const now = code === null ? outcomeTexts[other.outcome] : `error ${code}`;
  return `${outcomeTexts[recorded.outcome]} is now ${now}`;
}

/** What of the recorded output schema the other result no longer satisfies; null if it does, or the recorded one did not. */
function brokenOutput(
  recorded: TracedCall,
  other: TracedCall,
  { outputSchemaOf, validate }: CallComparerOptions,
): string | null {
  if (recorded.method !== 'tools/call' || recorded.target === null || recorded.outcome !== 'ok') return null;
  const schema = outputSchemaOf(recorded.target);
  if (schema === null) return null;
  const [was, is] = [recorded, other].map(({ response }) =>
    memberText(response ?? '', ['structuredContent']),
  );
  if (was === null || was === undefined || validate(schema, was).state === 'invalid') return null;
  if (is === null || is === undefined)
    return 'structuredContent removed, although the output schema promises it';
  const validation = validate(schema, is);
  if (validation.state !== 'invalid') return null;
  const [first] = validation.errors;
  return first === undefined
    ? 'the output schema is no longer satisfied'
    : `${pathText(['structuredContent', ...pointerPath(first.pointer)]).slice(2)} ${first.message}`;
}

/** What differs, in a few words. */
function summaryOf({ differences, ignored }: Found): string {
  const [first, ...more] = differences;
  if (first === undefined) {
    return ignored.length === 0
      ? ''
      : `ignored: ${[...new Set(ignored.map(({ path }) => path))].slice(0, 3).join(', ')}`;
  }
  const what = `${first.path} ${differenceTexts[first.kind]}`;
  return more.length === 0 ? what : `${what}, and ${formatQuantity(more.length, 'more difference')}`;
}
