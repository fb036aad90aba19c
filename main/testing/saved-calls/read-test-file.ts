import { type Document, isMap, isNode, isScalar, isSeq, LineCounter } from 'yaml';
import type { z } from 'zod';
import type { InboxAnswer } from '#shared/contract/inbox.ts';
import type {
  Expectations,
  FileError,
  FileTarget,
  SavedCall,
  ValueCheck,
} from '#shared/contract/saved-calls.ts';
import { variableNames } from '#shared/json/variables.ts';
import { jsonOfNode, memberNode, NotJson, parseYaml, valueOfYaml } from './exact-yaml.ts';
import {
  millisecondsOf,
  testFileShape,
  type WrittenAnswer,
  type WrittenCheck,
  type WrittenStep,
  type WrittenTarget,
} from './test-file-shape.ts';

/** A place in the file, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A call of a file, with the places that its failures name. */
export interface ReadCall extends SavedCall, Place {
  /** Where the step ends. */
  readonly end: Place;
  readonly places: {
    readonly status: Place;
    readonly schema: Place;
    readonly duration: Place;
    readonly result: Place;
    readonly messages: Place;
    readonly progress: Place;
    readonly silence: Place;
    readonly capture: Place;
    /** The places of the expected values, in the order of `expect.values`. */
    readonly values: readonly Place[];
    /** In the order of `answers`. */
    readonly answers: readonly Place[];
  };
  /** Whether it waits for a response: `raw` does only if anything is expected. */
  readonly expectsResponse: boolean;
  /** Where it refers to variables. */
  readonly variableUses: readonly (Place & { readonly name: string })[];
}

export type ReadTestFile =
  | {
      readonly ok: true;
      readonly variables: Readonly<Record<string, string>>;
      readonly target: FileTarget | null;
      readonly calls: readonly ReadCall[];
    }
  | { readonly ok: false; readonly errors: readonly FileError[] };

/** Errors that are told of one file: nobody reads more before the first is corrected. */
const MAX_ERRORS = 100;

/** Reads the text of a test file, YAML or JSON. Every error names its place. */
export function readTestFile(text: string): ReadTestFile {
  const lineCounter = new LineCounter();
  const document = parseYaml(text, { lineCounter });
  const placeAt = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const placeOf = (node: unknown): Place =>
    isNode(node) && node.range ? placeAt(node.range[0]) : { line: 1, column: 1 };
  // Behind its last value: the line breaks after it belong to a block as well.
  const endOf = (node: unknown): Place =>
    isNode(node) && node.range
      ? placeAt(node.range[0] + text.slice(node.range[0], node.range[1]).trimEnd().length)
      : { line: 1, column: 1 };
  const refuse = (place: Place, message: string): ReadTestFile => ({
    ok: false,
    errors: [{ ...place, message }],
  });

  if (document.errors.length > 0) {
    const errors = document.errors.slice(0, MAX_ERRORS).map(({ pos, message }) => ({
      ...placeAt(pos[0]),
      message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message,
    }));
    return { ok: false, errors };
  }
  if (document.contents === null) return refuse({ line: 1, column: 1 }, 'the file is empty');
  let value: unknown;
  try {
    value = valueOfYaml(document);
  } catch (error) {
    if (error instanceof NotJson) return refuse(placeOf(error.node), error.message);
    throw error;
  }
  const parsed = testFileShape.safeParse(value);
  if (!parsed.success) {
    return {
      ok: false,
      errors: errorsOf(parsed.error, document).map(({ node, message }) => ({ ...placeOf(node), message })),
    };
  }
  const names = new Set<string>();
  for (const [index, { name }] of (parsed.data.steps ?? []).entries()) {
    if (names.has(name)) {
      const place = placeOf(document.getIn(['steps', index, 'name'], true));
      return refuse(place, `another step is named ${JSON.stringify(name)}, too`);
    }
    names.add(name);
  }
  try {
    return {
      ok: true,
      variables: membersOf(document.get('variables', true)),
      target: parsed.data.target === undefined ? null : targetOf(parsed.data.target),
      calls: (parsed.data.steps ?? []).map((step, index) =>
        readStep(step, document.getIn(['steps', index], true), { placeOf, endOf }),
      ),
    };
  } catch (error) {
    if (error instanceof NotJson) return refuse(placeOf(error.node), error.message);
    throw error;
  }
}

interface Places {
  readonly placeOf: (node: unknown) => Place;
  readonly endOf: (node: unknown) => Place;
}

function readStep(step: WrittenStep, node: unknown, { placeOf, endOf }: Places): ReadCall {
  const at = (...path: readonly (string | number)[]): unknown =>
    isMap(node) ? node.getIn(path, true) : undefined;
  const expectNode = memberNode(node, 'expect');
  const placeOfMember = (name: string): Place =>
    placeOf(memberNode(expectNode?.value, name)?.key ?? expectNode?.key ?? node);
  const { raw, wait } = step;
  const argumentsNode = at(step.call === undefined ? 'params' : 'arguments');
  const expect = expectationsOf(step, at);
  const usesIn = (...nodes: readonly unknown[]): ReadCall['variableUses'][number][] =>
    nodes
      .flatMap((one) => [...stringsOf(one)])
      .flatMap((scalar) => variableNames(scalar.text).map((name) => ({ name, ...placeOf(scalar.node) })));
  // What the call captures is known when its result is compared.
  const isCaptured = ({ name }: { readonly name: string }): boolean =>
    Object.hasOwn(step.capture ?? {}, name);
  return {
    name: step.name,
    ...(raw !== undefined && { kind: 'raw' }),
    ...(wait !== undefined && { kind: 'wait' }),
    method: step.request ?? wait ?? (raw === undefined ? 'tools/call' : 'raw'),
    tool: step.call ?? null,
    arguments:
      raw ?? (argumentsNode === undefined || isEmpty(argumentsNode) ? '{}' : jsonOfNode(argumentsNode)),
    cancelAfter: timeOf(step.cancelAfter),
    answers: (step.answers ?? []).map((answer, index) => ({
      method: answer.to,
      ...(answer.contains !== undefined && { contains: answer.contains }),
      answer: answerOf(answer, at('answers', index, 'result')),
    })),
    capture: step.capture ?? {},
    expect,
    ...placeOf(node),
    end: endOf(node),
    places: {
      status: placeOfMember(step.expect?.code === undefined ? 'status' : 'code'),
      schema: placeOfMember('schema'),
      duration: placeOfMember('duration'),
      result: placeOfMember(expect.snapshot === null ? 'result' : 'snapshot'),
      messages: placeOfMember('messages'),
      progress: placeOfMember('progress'),
      silence: placeOfMember('silence'),
      capture: placeOf(memberNode(node, 'capture')?.key ?? node),
      values: expect.values.map((_, index) => placeOf(at('expect', 'values', index))),
      answers: (step.answers ?? []).map((_, index) => placeOf(at('answers', index))),
    },
    expectsResponse: raw === undefined || step.expect != null,
    variableUses: [
      ...usesIn(argumentsNode, at('answers'), at('raw')),
      ...usesIn(at('expect', 'values'), at('expect', 'result')).filter((use) => !isCaptured(use)),
    ],
  };
}

function expectationsOf(
  step: WrittenStep,
  at: (...path: readonly (string | number)[]) => unknown,
): Expectations {
  const { status, code, values, schema, duration, result, snapshot, compare, messages, progress, silence } =
    step.expect ?? {};
  return {
    status: status ?? (code === undefined ? 'ok' : 'protocol-error'),
    code: code ?? null,
    values: (values ?? []).map((check, index) => checkOf(check, at('expect', 'values', index, 'equals'))),
    schema: schema === undefined ? null : schema === 'output' ? schema : jsonOfNode(at('expect', 'schema')),
    duration: timeOf(duration),
    result: result === undefined ? null : jsonOfNode(at('expect', 'result')),
    snapshot: snapshot ?? null,
    compare: compare ?? [],
    messages: messages ?? [],
    progress:
      progress === undefined ? null : { atLeast: progress.atLeast ?? 1, every: timeOf(progress.every) },
    silence: timeOf(silence),
  };
}

const timeOf = (written: number | string | undefined): number | null =>
  written === undefined ? null : millisecondsOf(written);

function answerOf(answer: WrittenAnswer, result: unknown): InboxAnswer {
  if (answer.result !== undefined) return { kind: 'result', json: jsonOfNode(result) };
  if (answer.error !== undefined) return { kind: 'error', ...answer.error };
  if (answer.defaults === true) return { kind: 'defaults' };
  return { kind: answer.decline === true ? 'decline' : 'cancel' };
}

function targetOf({ server, url, command }: WrittenTarget): FileTarget {
  if (server !== undefined) return { kind: 'saved', name: server };
  if (url !== undefined) return { kind: 'http', url };
  const [program = '', ...args] = command ?? [];
  return { kind: 'stdio', command: program, args };
}

const isEmpty = (node: unknown): boolean => isScalar(node) && node.value === null;

function checkOf(check: WrittenCheck, equals: unknown): ValueCheck {
  const { path, type, matches, exists } = check;
  if (type !== undefined) return { path, check: { kind: 'type', type } };
  if (matches !== undefined) return { path, check: { kind: 'matches', pattern: matches } };
  if (exists !== undefined) return { path, check: { kind: 'exists', exists } };
  return { path, check: { kind: 'equals', value: jsonOfNode(equals) } };
}

function membersOf(node: unknown): Record<string, string> {
  if (!isMap(node)) return {};
  return Object.fromEntries(
    node.items.map(({ key, value }) => [String(isScalar(key) ? key.value : key), jsonOfNode(value)]),
  );
}

/** The strings in a value, but not the names of members. */
function* stringsOf(node: unknown): Generator<{ readonly node: unknown; readonly text: string }> {
  if (isScalar(node) && typeof node.value === 'string') yield { node, text: node.value };
  if (isSeq(node)) for (const item of node.items) yield* stringsOf(item);
  if (isMap(node)) for (const { value } of node.items) yield* stringsOf(value);
}

/** The errors of a file by the nodes they are about. */
function errorsOf(
  error: z.ZodError,
  document: Document,
): { readonly node: unknown; readonly message: string }[] {
  return error.issues.slice(0, MAX_ERRORS).map((issue) => {
    const path = issue.path.filter((step) => typeof step !== 'symbol');
    // The key of an unknown member, or else the value; the nearest part that exists for one that is missing.
    const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      if (node === undefined) continue;
      const key = unknown === undefined ? undefined : memberNode(node, unknown)?.key;
      const name = path.join('.');
      return { node: key ?? node, message: name === '' ? issue.message : `${name}: ${issue.message}` };
    }
    return { node: null, message: issue.message };
  });
}
