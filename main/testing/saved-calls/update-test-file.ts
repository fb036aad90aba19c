import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type Document, isMap, isNode, isSeq, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { expectedStates, TEST_FILE_END, type UpdateChoice } from '#shared/contract/saved-calls.ts';
import { formatQuantity } from '#shared/format.ts';
import { mapLeaves, textInside } from '#shared/json/inner-json.ts';
import { parsePath } from '#shared/json/path.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { indentedJson } from '#shared/json/tokens.ts';
import { withoutVariables, withVariables } from '#shared/json/variables.ts';
import type { CompareResults } from './check-call.ts';
import { nodeOfJson, parseYaml, writeYaml } from './exact-yaml.ts';
import { type LearnedPath, learnNoise } from './learn-noise.ts';
import type { ReadCall } from './read-test-file.ts';
import type { Answered } from './run-saved-call.ts';

/** A file in `__snapshots__/` to write. */
export interface WrittenSnapshot {
  readonly name: string;
  readonly text: string;
}

/** The calls of a file that ran, with what to write of their answers. */
export interface FileUpdate {
  readonly path: string;
  readonly text: string;
  readonly ran: readonly {
    readonly index: number;
    readonly call: ReadCall;
    readonly attempts: readonly { readonly answered: Answered | null }[];
    /** The expected result; null if none is expected or its snapshot is missing. */
    readonly current: string | null;
  }[];
  readonly choice: UpdateChoice;
  /** Whether what varies between the attempts becomes a rule. */
  readonly learns: boolean;
}

/** What was changed of a call, and why it was not, in words. */
export interface Updated {
  readonly changes: readonly string[];
  readonly notUpdated: string | null;
}

export interface UpdatedFile {
  /** Null if nothing in it changes. */
  readonly text: string | null;
  readonly snapshots: readonly WrittenSnapshot[];
  /** By the name of the call. */
  readonly updates: ReadonlyMap<string, Updated>;
}

/** Changes a valid test file to what came. */
export function updatedFile(
  { path, text, ran, choice, learns }: FileUpdate,
  compareResults: CompareResults,
): UpdatedFile {
  const document = parseYaml(text);
  const updates = new Map<string, Updated>();
  const snapshots: WrittenSnapshot[] = [];
  for (const { index, call, attempts, current } of ran) {
    const done: string[] = [];
    let notUpdated: string | null = null;
    const last = attempts.at(-1)?.answered ?? null;
    if (choice !== 'none' && last !== null) {
      const answered = attempts.flatMap((attempt) => attempt.answered ?? []);
      const how = { choice, current, compareResults, snapshotName: snapshotNameOf(path, call.name) };
      // What varies is learned as a rule instead.
      const differing = learns ? null : unstablePart(call, answered, how);
      if (differing === null) {
        const updated = updateStep(document, index, call, last, how);
        done.push(...updated.changes);
        if (updated.snapshot !== null) snapshots.push(updated.snapshot);
      } else if (updateStep(parseYaml(text), index, call, last, how).changes.length > 0)
        notUpdated = differs(answered.length, differing);
    }
    if (learns && (current !== null || done.length > 0)) {
      const results = attempts.flatMap(({ answered }) => answered?.result ?? []);
      done.push(...addLearned(document, index, learnNoise(results, call.expect.compare, compareResults)));
    }
    if (done.length > 0 || notUpdated !== null) updates.set(call.name, { changes: done, notUpdated });
  }
  const isChanged = [...updates.values()].some(({ changes }) => changes.length > 0);
  return { text: isChanged ? writeYaml(document) : null, snapshots, updates };
}

const differs = (runs: number, what: string): string =>
  `the ${runs} answers differ (${what}); --learn N ignores what varies`;

export interface UpdatedCall {
  /** What was changed, in words. */
  readonly changes: readonly string[];
  readonly snapshot: WrittenSnapshot | null;
}

/** A longer result goes to a snapshot. */
const MAX_RESULT_IN_FILE = 4000;
/** A shorter value is like that of a variable by chance. */
const MIN_VARIABLE = 6;
/** A shorter secret would be found in ordinary words. */
const MIN_SECRET = 4;

/** Whether a result is too long for the test file itself. */
export const needsSnapshot = (result: string): boolean => result.length > MAX_RESULT_IN_FILE;

/** The name of the snapshot of a call. @param path of the test file */
export function snapshotNameOf(path: string, call: string): string {
  const plain = `${basename(path, TEST_FILE_END)}-${call}`.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-');
  // Different names may look the same without their punctuation.
  const hash = call === call.replaceAll(/[^\p{L}\p{N}_]+/gu, '') ? '' : `-${shortHash(call)}`;
  return `${plain.replace(/^-+/, '')}${hash}.json`;
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6);

export const snapshotTextOf = (result: string): string => `${indentedJson(result) ?? result}\n`;

const nothing: UpdatedCall = { changes: [], snapshot: null };

interface UpdateOptions {
  readonly choice: Exclude<UpdateChoice, 'none'>;
  /** The expected result; null if none is expected or its snapshot is missing. */
  readonly current: string | null;
  readonly compareResults: CompareResults;
  /** The name of a snapshot for this call, should it need one. */
  readonly snapshotName: string;
}

/** Changes what a step of a document expects to what came; comments and all else stay. */
export function updateStep(
  document: Document,
  index: number,
  call: ReadCall,
  answered: Answered,
  { choice, current, compareResults, snapshotName }: UpdateOptions,
): UpdatedCall {
  const step = document.getIn(['steps', index], true);
  const status = expectedStates.find((state) => state === answered.call.state);
  // The session ended, or the test runner stopped: nothing to expect.
  if (!isMap(step) || status === undefined) return nothing;
  const changes: string[] = [];
  const takesChanged = choice !== 'missing';
  const takesMissing = choice !== 'changed';
  const { expect } = call;
  const code = answered.call.error?.code ?? null;
  const isOtherStatus = status !== expect.status || (expect.code !== null && code !== expect.code);
  if (isOtherStatus) {
    if (!takesChanged) return nothing;
    setStatus(document, step, status, code);
    changes.push(`status is ${code === null ? status : `error ${code}`}`);
  }
  if (answered.result === null) {
    // Without a result, nothing can be expected of it.
    if (isOtherStatus)
      for (const name of ['values', 'schema', 'result', 'snapshot']) removeExpected(step, name);
    return { changes, snapshot: null };
  }
  const result = asWritten(answered.result, answered);
  if (takesChanged) changes.push(...updateValues(document, step, call, answered));
  const isMissing = isResultMissing(expect, current);
  const isChanged =
    current !== null &&
    compareResults(
      withVariables(current, answered.variables),
      answered.result,
      expect.compare,
      call.kind === 'wait' ? {} : { isModern: answered.isModern },
    ).differences.length > 0;
  if (!(isMissing && takesMissing) && !(isChanged && takesChanged)) return { changes, snapshot: null };
  changes.push(isMissing ? 'the result is added' : 'the result is replaced');
  const isLong = expect.snapshot !== null || needsSnapshot(result);
  if (!isLong) {
    setExpected(document, step, 'result', nodeOfJson(result, document));
    return { changes, snapshot: null };
  }
  const name = expect.snapshot ?? snapshotName;
  removeExpected(step, 'result');
  if (expect.snapshot === null) setExpected(document, step, 'snapshot', new Scalar(name));
  return { changes, snapshot: { name, text: snapshotTextOf(result) } };
}

/** Whether a call expects nothing of its result, or a snapshot that does not exist. */
function isResultMissing(expect: ReadCall['expect'], current: string | null): boolean {
  return expect.result !== null || expect.snapshot !== null
    ? current === null
    : expect.values.length === 0 && expect.schema === null && expect.status !== 'protocol-error';
}

/**
 * What of the answers to several runs of a call differs, of what an update would write; null if the last answer stands for all of them.
 * Values of captured variables may differ: they are written as these variables.
 */
export function unstablePart(
  { expect }: ReadCall,
  answers: readonly Answered[],
  { choice, current, compareResults }: Pick<UpdateOptions, 'choice' | 'current' | 'compareResults'>,
): string | null {
  const last = answers.at(-1);
  const outcomeOf = ({ call: { state, error } }: Answered) =>
    error === null ? state : `error ${error.code}`;
  const writesResult = isResultMissing(expect, current)
    ? choice !== 'changed'
    : current !== null && choice !== 'missing';
  const valueAt = (path: string, one: Answered) => {
    const found = textInside(one.result ?? '', parsePath(path) ?? []);
    return found === null ? null : asWritten(found, one);
  };
  for (const one of answers) {
    if (last === undefined || one === last) continue;
    if (outcomeOf(one) !== outcomeOf(last)) return `${outcomeOf(one)} and ${outcomeOf(last)}`;
    if (one.result === null || last.result === null) continue;
    for (const { path, check } of choice === 'missing' ? [] : expect.values) {
      const [before, now] = [valueAt(path, one), valueAt(path, last)];
      const isSame = before === now || (before !== null && now !== null && isSameJson(before, now));
      if (check.kind === 'equals' && !isSame) return path;
    }
    if (!writesResult) continue;
    const [left, right] = [asWritten(one.result, one), asWritten(last.result, last)];
    const [first] = compareResults(left, right, expect.compare).differences;
    if (first !== undefined) return first.path;
  }
  return null;
}

/** Adds a rule to a step of a document for each path that was learned, with its evidence as a comment. */
export function addLearned(document: Document, index: number, learned: readonly LearnedPath[]): string[] {
  const step = document.getIn(['steps', index], true);
  if (!isMap(step) || learned.length === 0) return [];
  const expect = expectOf(document, step);
  const known = expect.get('compare', true);
  const list = isSeq(known) ? known : new YAMLSeq();
  if (!isSeq(known)) expect.set('compare', list);
  for (const { path, compare, evidence } of learned) {
    const rule = new YAMLMap();
    rule.add(document.createPair('path', path));
    rule.add(document.createPair('compare', compare));
    rule.commentBefore = ` ${evidence}`;
    list.add(rule);
  }
  return [`${formatQuantity(learned.length, 'path')} learned: ${learned.map(({ path }) => path).join(', ')}`];
}

/**
 * A result as a test file holds it: with the variables whose values it has, and nothing else that looks like one. The value of
 * a secret variable becomes the variable inside longer strings as well.
 */
export function asWritten(
  result: string,
  { variables, secrets }: Pick<Answered, 'variables' | 'secrets'>,
): string {
  const names = new Map(
    [...variables]
      .filter(([, value]) => value.startsWith('"') && value.length >= MIN_VARIABLE + 2)
      .map(([name, value]) => [value, name] as const),
  );
  const hidden = secrets
    .map((name) => ({ name, text: String(JSON.parse(variables.get(name) ?? '""')) }))
    .filter(({ text }) => text.length >= MIN_SECRET)
    .sort((a, b) => b.text.length - a.text.length);
  return mapLeaves(result, (value) => {
    if (!value.startsWith('"')) return value;
    const name = names.get(value);
    return JSON.stringify(name === undefined ? named(String(JSON.parse(value)), hidden) : `\${${name}}`);
  });
}

/** A text with the variables of the secrets that it holds, in which nothing else is a variable. */
function named(
  text: string,
  [first, ...others]: readonly { readonly name: string; readonly text: string }[],
): string {
  if (first === undefined) return withoutVariables(text);
  const parts = text.split(first.text).map((part) => named(part, others));
  return parts.join(`\${${first.name}}`);
}

function updateValues(document: Document, step: YAMLMap, call: ReadCall, answered: Answered): string[] {
  const changes: string[] = [];
  for (const [index, { path, check }] of call.expect.values.entries()) {
    if (check.kind !== 'equals') continue;
    const found = textInside(answered.result ?? '', parsePath(path) ?? []);
    if (found !== null && isSameJson(found, withVariables(check.value, answered.variables))) continue;
    const node = step.getIn(['expect', 'values', index], true);
    if (!isMap(node)) continue;
    if (found === null) {
      node.delete('equals');
      node.set('exists', false);
    } else replaceKeepingComment(node, 'equals', nodeOfJson(asWritten(found, answered), document));
    changes.push(`${path} is replaced`);
  }
  return changes;
}

function setStatus(document: Document, step: YAMLMap, status: string, code: number | null): void {
  setExpected(document, step, 'status', new Scalar(status));
  if (code === null) removeExpected(step, 'code');
  else setExpected(document, step, 'code', new Scalar(code));
}

function setExpected(
  document: Document,
  step: YAMLMap,
  name: string,
  value: Scalar | YAMLMap | YAMLSeq,
): void {
  replaceKeepingComment(expectOf(document, step), name, value);
}

function removeExpected(step: YAMLMap, name: string): void {
  const expect = step.get('expect', true);
  if (isMap(expect)) expect.delete(name);
}

function expectOf(document: Document, step: YAMLMap): YAMLMap {
  const expect = step.get('expect', true);
  if (isMap(expect)) {
    // An empty one is written as {}.
    if (expect.items.length === 0) expect.flow = false;
    return expect;
  }
  const created = new YAMLMap();
  step.set(document.createNode('expect'), created);
  return created;
}

function replaceKeepingComment(map: YAMLMap, name: string, value: Scalar | YAMLMap | YAMLSeq): void {
  const before = map.get(name, true);
  if (isNode(before)) {
    value.comment = before.comment ?? null;
    value.commentBefore = before.commentBefore ?? null;
  }
  // A block inside a flow would not be YAML.
  if (map.flow === true && !(value instanceof Scalar)) value.flow = true;
  map.set(name, value);
}
