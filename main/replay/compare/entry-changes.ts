import { type Budget, OverBudget, withinBudget } from '#shared/budget.ts';
import type { CatalogChange, ChangeClass } from '#shared/contract/comparison.ts';
import { truncate } from '#shared/format.ts';
import { memberText } from '#shared/json/members.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { isNestedDeeper } from '#shared/json/tokens.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { similarWord } from '#shared/similar-word.ts';
import { type SchemaChange, schemaChanges } from './schema-changes.ts';

export type ListedKind = 'tool' | 'resource' | 'template' | 'prompt';

/** A change before the calls that prove it are known. */
export type Change = Omit<CatalogChange, 'calls'>;

/** Characters of a value that are shown. */
const MAX_SHOWN = 600;

/** What two schemas may take: a real one takes some hundred steps. */
const SCHEMA_LIMIT = { steps: 20_000, characters: 16_000_000 };

/** Nesting levels of an entry that is compared. */
const DEEPEST = 500;

/** What changed in an entry that both sides list, from its texts. What is not compared is a change of class `unknown`. */
export function entryChanges(
  of: ListedKind,
  name: string,
  before: string,
  after: string,
  budget: Budget,
): Change[] {
  if (isNestedDeeper(before, DEEPEST) || isNestedDeeper(after, DEEPEST))
    return [notCompared(of, name, `it is nested deeper than ${DEEPEST} levels`)];
  const outcome = withinBudget(() => {
    budget.take(1, before.length + after.length);
    return changesWithin(of, name, before, after, budget);
  });
  return outcome instanceof OverBudget ? [notCompared(of, name, tooMuch(outcome))] : outcome;
}

/** An entry that differs, and could not be compared further. */
const notCompared = (of: ListedKind, name: string, why: string): Change => ({
  rule: 'not-compared',
  class: 'unknown',
  of,
  name,
  pointer: '',
  text: `Changed, but not compared: ${why}`,
  before: null,
  after: null,
});

const tooMuch = ({ limit }: OverBudget): string =>
  `it takes more than ${limit}; compare a recording with fewer or smaller entries`;

function changesWithin(
  of: ListedKind,
  name: string,
  before: string,
  after: string,
  budget: Budget,
): Change[] {
  const about = { of, name } as const;
  const changes: Change[] = [];
  for (const member of ['title', 'description']) {
    const [was, is] = [memberText(before, [member]), memberText(after, [member])];
    if (was === is) continue;
    const text = `${capitalized(member)} ${was === null ? 'added' : is === null ? 'removed' : 'changed'}`;
    const pointer = pointerOf([member]);
    changes.push({
      ...about,
      rule: `${member}-changed`,
      class: 'behavior',
      pointer,
      text,
      before: was,
      after: is,
    });
  }
  if (of === 'tool') changes.push(...toolChanges(name, before, after, budget));
  if (of === 'prompt') changes.push(...promptChanges(name, before, after));
  if (of === 'resource' || of === 'template') {
    const [was, is] = [memberText(before, ['mimeType']), memberText(after, ['mimeType'])];
    if (was !== is) {
      const text = `MIME type changed from ${was ?? 'none'} to ${is ?? 'none'}`;
      changes.push({
        ...about,
        rule: 'mime-type-changed',
        class: 'behavior',
        pointer: '/mimeType',
        text,
        before: was,
        after: is,
      });
    }
  }
  return changes;
}

function toolChanges(name: string, before: string, after: string, budget: Budget): Change[] {
  const changes: Change[] = [...annotationChanges(name, before, after), ...taskChanges(name, before, after)];
  const input = changesOf('inputSchema', before, after, budget);
  const added = input.changes.flatMap(({ keyword, property }) =>
    keyword === 'property-added' || keyword === 'property-required' ? [property ?? ''] : [],
  );
  const similar = (argument: string): string | null => {
    budget.take(added.length);
    return similarWord(argument, added);
  };
  for (const change of input.changes) changes.push(inputChange(name, change, similar));
  changes.push(...input.unfinished);
  const [was, is] = [parsed(before, 'outputSchema'), parsed(after, 'outputSchema')];
  const about = { of: 'tool', name, pointer: '/outputSchema' } as const;
  if (was !== undefined && is === undefined) {
    changes.push({
      ...about,
      rule: 'output-schema-removed',
      class: 'breaking',
      text: 'Output schema removed',
      before: shownJson(was),
      after: null,
    });
  } else if (was === undefined && is !== undefined) {
    changes.push({
      ...about,
      rule: 'output-schema-added',
      class: 'compatible',
      text: 'Output schema added',
      before: null,
      after: shownJson(is),
    });
  } else {
    const output = changesOf('outputSchema', before, after, budget);
    for (const change of output.changes) changes.push(outputChange(name, change));
    changes.push(...output.unfinished);
  }
  return changes;

  /** The changes of a schema; and one that says so if it was compared in part. */
  function changesOf(member: 'inputSchema' | 'outputSchema', one: string, other: string, whole: Budget) {
    const [left, right] = [parsed(one, member), parsed(other, member)];
    const comparison = schemaChanges(left, right, whole.part(SCHEMA_LIMIT));
    const unfinished: Change[] =
      comparison.unfinished === null
        ? []
        : [
            {
              ...notCompared('tool', name, ''),
              pointer: pointerOf([member]),
              text: `${member} was compared in part: it takes more than ${comparison.unfinished.limit}, because its references stand for very many schemas`,
              before: shownJson(left),
              after: shownJson(right),
            },
          ];
    return { changes: comparison.changes, unfinished };
  }
}

function annotationChanges(name: string, before: string, after: string): Change[] {
  const [was, is] = [parsed(before, 'annotations'), parsed(after, 'annotations')].map((value) =>
    isObject(value) ? value : {},
  );
  const members = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})]);
  return [...members].flatMap((member): Change[] => {
    const [old, now] = [was?.[member], is?.[member]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    const isUnsafe = member === 'readOnlyHint' ? old === true : member === 'destructiveHint' && now === true;
    const text = `Annotation ${member} changed from ${valueText(old)} to ${valueText(now)}`;
    return [
      {
        rule: isUnsafe ? 'annotation-less-safe' : 'annotation-changed',
        class: 'behavior',
        of: 'tool',
        name,
        pointer: pointerOf(['annotations', member]),
        text: isUnsafe ? `${text}: clients that did not ask before this tool may have to` : text,
        before: shownJson(old),
        after: shownJson(now),
      },
    ];
  });
}

/** Whether a tool may or must run as a task (MCP 2025-11-25 tasks, tool-level negotiation). */
function taskChanges(name: string, before: string, after: string): Change[] {
  const supportOf = (text: string): string => {
    const execution = parsed(text, 'execution');
    return isObject(execution) && typeof execution.taskSupport === 'string'
      ? execution.taskSupport
      : 'forbidden';
  };
  const [was, is] = [supportOf(before), supportOf(after)];
  if (was === is) return [];
  const breaks = is !== 'optional';
  return [
    {
      rule: 'task-support-changed',
      class: breaks ? 'breaking' : 'compatible',
      of: 'tool',
      name,
      pointer: '/execution/taskSupport',
      text: `Task support changed from ${was} to ${is}`,
      before: JSON.stringify(was),
      after: JSON.stringify(is),
    },
  ];
}

function promptChanges(name: string, before: string, after: string): Change[] {
  const argumentsOf = (text: string): Map<string, Readonly<Record<string, unknown>>> => {
    const list = parsed(text, 'arguments');
    const found = (Array.isArray(list) ? list : []).filter(isObject);
    return new Map(found.map((argument) => [String(argument.name), argument]));
  };
  const [was, is] = [argumentsOf(before), argumentsOf(after)];
  const changes: Change[] = [];
  const add = (rule: string, changeClass: ChangeClass, argument: string, text: string) => {
    const [old, now] = [was.get(argument), is.get(argument)];
    changes.push({
      rule,
      class: changeClass,
      of: 'prompt',
      name,
      pointer: '/arguments',
      text,
      before: shownJson(old),
      after: shownJson(now),
    });
  };
  for (const [argument, old] of was) {
    const now = is.get(argument);
    if (now === undefined) add('argument-removed', 'breaking', argument, `Argument ${argument} removed`);
    else if ((old.required === true) !== (now.required === true)) {
      const isRequired = now.required === true;
      add(
        isRequired ? 'argument-required' : 'argument-optional',
        isRequired ? 'breaking' : 'compatible',
        argument,
        `Argument ${argument} is now ${isRequired ? 'required' : 'optional'}`,
      );
    } else if (JSON.stringify(old) !== JSON.stringify(now)) {
      add('argument-described', 'behavior', argument, `Description of argument ${argument} changed`);
    }
  }
  for (const [argument, now] of is) {
    if (was.has(argument)) continue;
    if (now.required === true)
      add('argument-required', 'breaking', argument, `Required argument ${argument} added`);
    else add('argument-added', 'behavior', argument, `Optional argument ${argument} added`);
  }
  return changes;
}

/** A change of an input schema: who sends is hurt when fewer values are valid. */
function inputChange(
  name: string,
  change: SchemaChange,
  similar: (argument: string) => string | null,
): Change {
  const what = placeOf(change, 'argument');
  const report = (rule: string, changeClass: ChangeClass, text: string): Change => ({
    rule,
    class: changeClass,
    of: 'tool',
    name,
    pointer: pointerOf(['inputSchema', ...change.path]),
    text,
    before: shownJson(change.before),
    after: shownJson(change.after),
  });
  switch (change.keyword) {
    case 'property-removed': {
      const renamed = similar(change.property ?? '');
      return renamed === null
        ? report('argument-removed', 'breaking', `${what} removed`)
        : report('argument-renamed', 'breaking', `${what} removed, probably renamed to ${renamed}`);
    }
    case 'property-required':
      return report('argument-required', 'breaking', `Required ${uncapitalized(what)} added`);
    case 'property-added':
      return report('argument-added', 'behavior', `Optional ${uncapitalized(what)} added`);
    case 'required':
      return change.kind === 'narrowed'
        ? report('argument-required', 'breaking', `${what} is now required`)
        : report('argument-optional', 'compatible', `${what} is now optional`);
    default:
  }
  const values = valuesText(change);
  switch (change.kind) {
    case 'described':
      return report(`argument-${change.keyword}-changed`, 'behavior', `${what}: ${change.keyword} changed`);
    case 'undecided':
      return report(
        'input-undecided',
        'unknown',
        `${what}: ${change.keyword} changed; what that means cannot be decided`,
      );
    case 'narrowed':
      return report(
        `input-${change.keyword}-narrowed`,
        'breaking',
        `${what} allows fewer values (${change.keyword}${values})`,
      );
    case 'widened':
      return report(
        `input-${change.keyword}-widened`,
        change.keyword === 'enum' ? 'behavior' : 'compatible',
        `${what} allows more values (${change.keyword}${values})`,
      );
  }
}

/** A change of an output schema: who receives is hurt when more values are valid. */
function outputChange(name: string, change: SchemaChange): Change {
  const what = placeOf(change, 'field');
  const report = (rule: string, changeClass: ChangeClass, text: string): Change => ({
    rule,
    class: changeClass,
    of: 'tool',
    name,
    pointer: pointerOf(['outputSchema', ...change.path]),
    text,
    before: shownJson(change.before),
    after: shownJson(change.after),
  });
  switch (change.keyword) {
    case 'property-removed':
      return report('output-field-removed', 'breaking', `${what} removed from the output`);
    case 'property-required':
    case 'property-added':
      return report('output-field-added', 'compatible', `${what} added to the output`);
    case 'required':
      return change.kind === 'narrowed'
        ? report('output-field-required', 'compatible', `${what} of the output is now always there`)
        : report('output-field-optional', 'breaking', `${what} of the output may now be missing`);
    default:
  }
  const values = valuesText(change);
  switch (change.kind) {
    case 'described':
      return report(
        `output-${change.keyword}-changed`,
        'behavior',
        `${what} of the output: ${change.keyword} changed`,
      );
    case 'undecided':
      return report(
        'output-undecided',
        'unknown',
        `${what} of the output: ${change.keyword} changed; what that means cannot be decided`,
      );
    case 'narrowed':
      return report(
        `output-${change.keyword}-narrowed`,
        'compatible',
        `${what} of the output has fewer values (${change.keyword}${values})`,
      );
    case 'widened':
      return report(
        `output-${change.keyword}-widened`,
        'breaking',
        `${what} of the output has more values (${change.keyword}${values})`,
      );
  }
}

/** `Argument currency`, or `Argument items[].price` inside another; `The arguments` for the whole schema. */
function placeOf({ path, property, keyword }: SchemaChange, word: string): string {
  const steps = keyword === 'required' ? [...path.slice(0, -1), 'properties', property ?? ''] : path;
  let name = '';
  for (let index = 0; index < steps.length; index++) {
    if (steps[index] === 'properties' && index + 1 < steps.length) {
      name += `${name === '' ? '' : '.'}${steps[index + 1]}`;
      index++;
    } else if (steps[index] === 'items' && index < steps.length - 1) name += '[]';
  }
  return name === '' ? `The ${word}s` : `${capitalized(word)} ${name}`;
}

/** Which values came or went, for an enumeration. */
function valuesText({ keyword, kind, before, after }: SchemaChange): string {
  if (keyword !== 'enum' || !Array.isArray(before) || !Array.isArray(after)) return '';
  const [from, to] = kind === 'narrowed' ? [before, after] : [after, before];
  const texts = new Set(to.map((value) => JSON.stringify(value)));
  const different = from.map((value) => JSON.stringify(value)).filter((text) => !texts.has(text));
  return `: ${kind === 'narrowed' ? 'no longer ' : 'also '}${truncate(different.join(', '), 80)}`;
}

function parsed(text: string, member: string): unknown {
  const value = memberText(text, [member]);
  return value === null ? undefined : JSON.parse(value);
}

/** A value as JSON, truncated; null if it is missing. */
export function shownJson(value: unknown): string | null {
  if (value === undefined) return null;
  return truncate(
    typeof value === 'string' && value.startsWith('{') ? value : JSON.stringify(value),
    MAX_SHOWN,
  );
}

const valueText = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value));

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
