import { type Document, isCollection, isMap, isSeq, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { Expectations, SavedCall, ValueCheck } from '#shared/contract/saved-calls.ts';
import { nodeOfJson, parseYaml, writeYaml } from './exact-yaml.ts';
import { FORMAT_VERSION } from './test-file-shape.ts';

/** The text of a file without calls. */
const newFile = `# Calls to an MCP server and what is expected of them. Run them with: sightglass test FILE -- COMMAND\nversion: ${FORMAT_VERSION}\n`;

/** A change to the text of a valid test file. */
export type FileEdit =
  | {
      readonly kind: 'put';
      /** Null for a new file. */
      readonly text: string | null;
      readonly call: SavedCall;
      /** Null to add. */
      readonly index: number | null;
    }
  | { readonly kind: 'remove'; readonly text: string; readonly index: number }
  | {
      readonly kind: 'restore';
      /** Null if the file is gone. */
      readonly text: string | null;
      /** The text of the file that has the step. */
      readonly earlier: string;
      readonly index: number;
    };

export function editedFile(edit: FileEdit): string {
  switch (edit.kind) {
    case 'put':
      return withCall(edit.text, edit.call, edit.index);
    case 'remove':
      return withoutCall(edit.text, edit.index);
    case 'restore':
      return withStepOf(edit.text, edit.earlier, edit.index);
  }
}

/**
 * Adds a call to the text of a valid test file, or replaces one. Comments stay.
 *
 * @param text null for a new file
 * @param index null to add
 */
export function withCall(text: string | null, call: SavedCall, index: number | null): string {
  const document = parseYaml(text ?? newFile);
  const steps = stepsOf(document);
  const node = stepNode(call, document);
  const before = index === null ? undefined : steps.items[index];
  if (index === null || before === undefined) {
    node.spaceBefore = steps.items.length > 0;
    steps.add(node);
  } else {
    if (isCollection(before)) {
      node.commentBefore = before.commentBefore ?? null;
      node.spaceBefore = before.spaceBefore ?? false;
    }
    steps.items[index] = node;
  }
  return writeYaml(document);
}

/** The text of a new file. @param comment what the file says about itself, in lines */
export function newTestFile(calls: readonly SavedCall[], comment: string): string {
  const document = parseYaml(`version: ${FORMAT_VERSION}\n`);
  document.commentBefore = comment
    .split('\n')
    .map((line) => ` ${line}`)
    .join('\n');
  const steps = stepsOf(document);
  for (const call of calls) {
    const node = stepNode(call, document);
    node.spaceBefore = steps.items.length > 0;
    steps.add(node);
  }
  return writeYaml(document);
}

/** Removes a call from the text of a valid test file. */
function withoutCall(text: string, index: number): string {
  const document = parseYaml(text);
  stepsOf(document).delete(index);
  return writeYaml(document);
}

/** The text of a test file with a step, and its comments, of an earlier text of it. @param text null for a new file */
function withStepOf(text: string | null, earlier: string, index: number): string {
  const document = parseYaml(text ?? newFile);
  const steps = stepsOf(document);
  const step = stepsOf(parseYaml(earlier)).items[index];
  steps.items.splice(Math.min(index, steps.items.length), 0, step);
  return writeYaml(document);
}

function stepsOf(document: Document): YAMLSeq {
  const steps = document.get('steps', true);
  if (isSeq(steps)) {
    // An empty list is written as [].
    if (steps.items.length === 0) steps.flow = false;
    return steps;
  }
  const created = new YAMLSeq();
  if (isMap(document.contents)) document.contents.set(new Scalar('steps'), created);
  return created;
}

function stepNode(call: SavedCall, document: Document): YAMLMap {
  const { name, kind, tool, method, arguments: args, cancelAfter, answers, capture, expect } = call;
  const step = new YAMLMap();
  const add = (key: string, value: unknown) => step.add(document.createPair(key, value));
  add('name', name);
  if (kind === undefined) {
    add(tool === null ? 'request' : 'call', tool ?? method);
    const node = nodeOfJson(args, document);
    if (isMap(node) && node.items.length > 0) add(tool === null ? 'params' : 'arguments', node);
  } else add(kind, kind === 'raw' ? args : method);
  if (cancelAfter !== null) add('cancelAfter', `${cancelAfter}ms`);
  if (answers.length > 0) add('answers', listOf(answers.map((answer) => answerNode(answer, document))));
  if (Object.keys(capture).length > 0) add('capture', document.createNode(capture));
  add('expect', expectNode(expect, document));
  return step;
}

function answerNode({ method, contains, answer }: SavedCall['answers'][number], document: Document): YAMLMap {
  const node = new YAMLMap();
  const add = (key: string, value: unknown) => node.add(document.createPair(key, value));
  add('to', method);
  if (contains !== undefined) add('contains', contains);
  switch (answer.kind) {
    case 'result':
      add('result', nodeOfJson(answer.json, document));
      break;
    case 'error':
      add('error', document.createNode({ code: answer.code, message: answer.message }));
      break;
    case 'defaults':
    case 'decline':
    case 'cancel':
      add(answer.kind, true);
  }
  return node;
}

function expectNode(expect: Expectations, document: Document): YAMLMap {
  const { status, code, values, schema, duration, result, snapshot, compare, messages, progress, silence } =
    expect;
  const node = new YAMLMap();
  const add = (key: string, value: unknown) => node.add(document.createPair(key, value));
  add('status', status);
  if (code !== null) add('code', code);
  if (values.length > 0) add('values', listOf(values.map((value) => checkNode(value, document))));
  if (schema !== null) add('schema', schema === 'output' ? schema : nodeOfJson(schema, document));
  if (duration !== null) add('duration', `${duration}ms`);
  if (result !== null) add('result', nodeOfJson(result, document));
  if (snapshot !== null) add('snapshot', snapshot);
  if (compare.length > 0) add('compare', document.createNode(compare));
  if (messages.length > 0) add('messages', document.createNode(messages));
  if (progress !== null) {
    const { atLeast, every } = progress;
    add('progress', document.createNode({ atLeast, ...(every !== null && { every: `${every}ms` }) }));
  }
  if (silence !== null) add('silence', `${silence}ms`);
  return node;
}

function listOf(nodes: readonly YAMLMap[]): YAMLSeq {
  const list = new YAMLSeq();
  for (const node of nodes) list.add(node);
  return list;
}

function checkNode({ path, check }: ValueCheck, document: Document): YAMLMap {
  const node = new YAMLMap();
  node.add(document.createPair('path', path));
  switch (check.kind) {
    case 'equals':
      node.add(document.createPair('equals', nodeOfJson(check.value, document)));
      break;
    case 'type':
      node.add(document.createPair('type', check.type));
      break;
    case 'matches':
      node.add(document.createPair('matches', check.pattern));
      break;
    case 'exists':
      node.add(document.createPair('exists', check.exists));
  }
  return node;
}
