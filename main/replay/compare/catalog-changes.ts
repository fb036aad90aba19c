import type { CatalogChange, ChangeClass } from '#shared/contract/comparison.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { truncate } from '#shared/format.ts';
import { textsByName } from '#shared/list-changes.ts';
import { memberText } from '#shared/json/members.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { similarWord } from '#shared/similar-word.ts';
import type { CatalogEntry } from '#shared/contract/catalog.ts';
import { type SchemaChange, schemaChanges } from './schema-changes.ts';

export type ListedKind = 'tool' | 'resource' | 'template' | 'prompt';

/** What a server declared and listed in one session. A list is null if it was not read whole. */
export interface Catalog {
  readonly revision: string | null;
  /** The capabilities that the server declared. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly lists: Readonly<Record<ListedKind, readonly CatalogEntry[] | null>>;
}

/** Validates a value against a JSON Schema; both are JSON text. */
type Validate = (schema: string, value: string) => Validation;

/** A change before the calls that prove it are known. */
type Change = Omit<CatalogChange, 'calls'>;

const kinds: readonly ListedKind[] = ['tool', 'resource', 'template', 'prompt'];

/** Characters of a value that are shown. */
const MAX_SHOWN = 600;
/** Rows of broken calls that are listed. */
const MAX_ROWS = 100;

/**
 * The changes between two catalogs with their classes, the worst first, each with the recorded calls that it breaks.
 *
 * @param calls those of the recorded session
 */
export function catalogChanges(
  before: Catalog,
  after: Catalog,
  calls: readonly TracedCall[],
  validate: Validate,
): CatalogChange[] {
  const changes = [
    ...serverChanges(before, after),
    ...kinds.flatMap((kind) => listedChanges(kind, before.lists[kind], after.lists[kind])),
  ];
  const nowTools = textsByName(after.lists.tool ?? []);
  return changes
    .map((change) => ({ ...change, calls: provingCalls(change, calls, nowTools, validate) }))
    .sort((a, b) => severity[a.class] - severity[b.class]);
}

/** The lists that were not compared, because one side did not read them whole. */
export const uncomparedLists = (before: Catalog, after: Catalog): ListedKind[] =>
  kinds.filter((kind) => (before.lists[kind] === null) !== (after.lists[kind] === null));

const severity: Readonly<Record<ChangeClass, number>> = {
  breaking: 0,
  unknown: 1,
  behavior: 2,
  compatible: 3,
};

function serverChanges(before: Catalog, after: Catalog): Change[] {
  const changes: Change[] = [];
  const add = (rule: string, changeClass: ChangeClass, name: string, text: string) => {
    changes.push({
      rule,
      class: changeClass,
      of: 'server',
      name,
      pointer: '',
      text,
      before: null,
      after: null,
    });
  };
  const [was, is] = [Object.keys(before.capabilities), Object.keys(after.capabilities)];
  for (const name of was) {
    if (!is.includes(name))
      add('capability-removed', 'breaking', name, `Capability ${name} is no longer declared`);
  }
  for (const name of is) {
    if (!was.includes(name)) add('capability-added', 'compatible', name, `Capability ${name} is declared`);
  }
  if (before.revision !== null && after.revision !== null && before.revision !== after.revision) {
    const isOlder = after.revision < before.revision;
    add(
      isOlder ? 'revision-dropped' : 'revision-raised',
      isOlder ? 'breaking' : 'behavior',
      after.revision,
      `The negotiated revision changed from ${before.revision} to ${after.revision}`,
    );
  }
  return changes;
}

function listedChanges(
  of: ListedKind,
  before: readonly CatalogEntry[] | null,
  after: readonly CatalogEntry[] | null,
): Change[] {
  if (before === null || after === null) return [];
  const [was, is] = [textsByName(before), textsByName(after)];
  const changes: Change[] = [];
  const added = [...is.keys()].filter((name) => !was.has(name));
  for (const [name, text] of was) {
    const now = is.get(name);
    if (now === undefined) changes.push(removed(of, name, text, added, is));
    else if (!isSameJson(text, now)) changes.push(...entryChanges(of, name, text, now));
  }
  for (const name of added) {
    const like = of === 'tool' ? similarWord(name, [...was.keys()]) : null;
    const about = { of, name, pointer: '', before: null, after: shown(is.get(name)) };
    if (like === null)
      changes.push({ ...about, rule: `${of}-added`, class: 'compatible', text: `${noun[of]} added` });
    else {
      const text = `Tool added, with a name like that of ${like}: a model may confuse them`;
      changes.push({ ...about, rule: 'tool-resembles', class: 'behavior', text });
    }
  }
  const [size, sizeNow] = [sizeOf(was), sizeOf(is)];
  if (of === 'tool' && sizeNow >= size * MIN_GROWTH && sizeNow - size >= MIN_GROWN) {
    const text = `The definitions of all tools take ${Math.round((sizeNow / size - 1) * 100)} % more of a model's context`;
    changes.push({
      rule: 'catalog-grew',
      class: 'behavior',
      of: 'server',
      name: 'tools',
      pointer: '',
      text,
      before: null,
      after: null,
    });
  }
  return changes;
}

/** How much larger the definitions must be to be worth a word: a factor, and characters, about 250 tokens. */
const MIN_GROWTH = 1.2;
const MIN_GROWN = 1000;

const noun: Readonly<Record<ListedKind, string>> = {
  tool: 'Tool',
  resource: 'Resource',
  template: 'Resource template',
  prompt: 'Prompt',
};

/** The characters of all entries: what a model reads grows with them. */
const sizeOf = (texts: ReadonlyMap<string, string>): number =>
  [...texts.values()].reduce((sum, text) => sum + text.length, 0);

function removed(
  of: ListedKind,
  name: string,
  text: string,
  added: readonly string[],
  now: ReadonlyMap<string, string>,
): Change {
  const successor = successorOf(of, name, text, added, now);
  const about = { class: 'breaking', of, name, pointer: '', before: shown(text) } as const;
  if (successor === null)
    return { ...about, rule: `${of}-removed`, text: `${noun[of]} removed`, after: null };
  const after = shown(now.get(successor));
  return {
    ...about,
    rule: `${of}-renamed`,
    text: `${noun[of]} removed, probably renamed to ${successor}`,
    after,
  };
}

/** The added entry that is the same but for its name, or whose name is similar. */
function successorOf(
  of: ListedKind,
  name: string,
  text: string,
  added: readonly string[],
  now: ReadonlyMap<string, string>,
): string | null {
  const content = contentOf(of, text);
  const same = added.find(
    (one) => content !== null && isSameContent(content, contentOf(of, now.get(one) ?? '')),
  );
  return same ?? similarWord(name, added);
}

/** What identifies an entry besides its name; null if there is nothing. */
const contentOf = (of: ListedKind, text: string): string | null =>
  memberText(text, [of === 'tool' ? 'inputSchema' : of === 'prompt' ? 'arguments' : 'name']);

const isSameContent = (one: string, other: string | null): boolean =>
  other !== null && one.length > 40 && isSameJson(one, other);

/** What changed in an entry that both sides list. */
function entryChanges(of: ListedKind, name: string, before: string, after: string): Change[] {
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
  if (of === 'tool') changes.push(...toolChanges(name, before, after));
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

function toolChanges(name: string, before: string, after: string): Change[] {
  const changes: Change[] = [...annotationChanges(name, before, after), ...taskChanges(name, before, after)];
  const input = schemaChanges(parsed(before, 'inputSchema'), parsed(after, 'inputSchema'));
  changes.push(...input.map((change) => inputChange(name, change, input)));
  const [was, is] = [parsed(before, 'outputSchema'), parsed(after, 'outputSchema')];
  const about = { of: 'tool', name, pointer: '/outputSchema' } as const;
  if (was !== undefined && is === undefined) {
    changes.push({
      ...about,
      rule: 'output-schema-removed',
      class: 'breaking',
      text: 'Output schema removed',
      before: shown(was),
      after: null,
    });
  } else if (was === undefined && is !== undefined) {
    changes.push({
      ...about,
      rule: 'output-schema-added',
      class: 'compatible',
      text: 'Output schema added',
      before: null,
      after: shown(is),
    });
  } else changes.push(...schemaChanges(was, is).map((change) => outputChange(name, change)));
  return changes;
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
        before: shown(old),
        after: shown(now),
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
      before: shown(old),
      after: shown(now),
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
function inputChange(name: string, change: SchemaChange, all: readonly SchemaChange[]): Change {
  const what = placeOf(change, 'argument');
  const told = (rule: string, changeClass: ChangeClass, text: string): Change => ({
    rule,
    class: changeClass,
    of: 'tool',
    name,
    pointer: pointerOf(['inputSchema', ...change.path]),
    text,
    before: shown(change.before),
    after: shown(change.after),
  });
  switch (change.keyword) {
    case 'property-removed': {
      const added = all.flatMap(({ keyword, property }) =>
        keyword === 'property-added' || keyword === 'property-required' ? [property ?? ''] : [],
      );
      const renamed = similarWord(change.property ?? '', added);
      return renamed === null
        ? told('argument-removed', 'breaking', `${what} removed`)
        : told('argument-renamed', 'breaking', `${what} removed, probably renamed to ${renamed}`);
    }
    case 'property-required':
      return told('argument-required', 'breaking', `Required ${uncapitalized(what)} added`);
    case 'property-added':
      return told('argument-added', 'behavior', `Optional ${uncapitalized(what)} added`);
    case 'required':
      return change.kind === 'narrowed'
        ? told('argument-required', 'breaking', `${what} is now required`)
        : told('argument-optional', 'compatible', `${what} is now optional`);
    default:
  }
  const values = valuesText(change);
  switch (change.kind) {
    case 'described':
      return told(`argument-${change.keyword}-changed`, 'behavior', `${what}: ${change.keyword} changed`);
    case 'undecided':
      return told(
        'input-undecided',
        'unknown',
        `${what}: ${change.keyword} changed; what that means cannot be decided`,
      );
    case 'narrowed':
      return told(
        `input-${change.keyword}-narrowed`,
        'breaking',
        `${what} allows fewer values (${change.keyword}${values})`,
      );
    case 'widened':
      return told(
        `input-${change.keyword}-widened`,
        change.keyword === 'enum' ? 'behavior' : 'compatible',
        `${what} allows more values (${change.keyword}${values})`,
      );
  }
}

/** A change of an output schema: who receives is hurt when more values are valid. */
function outputChange(name: string, change: SchemaChange): Change {
  const what = placeOf(change, 'field');
  const told = (rule: string, changeClass: ChangeClass, text: string): Change => ({
    rule,
    class: changeClass,
    of: 'tool',
    name,
    pointer: pointerOf(['outputSchema', ...change.path]),
    text,
    before: shown(change.before),
    after: shown(change.after),
  });
  switch (change.keyword) {
    case 'property-removed':
      return told('output-field-removed', 'breaking', `${what} removed from the output`);
    case 'property-required':
    case 'property-added':
      return told('output-field-added', 'compatible', `${what} added to the output`);
    case 'required':
      return change.kind === 'narrowed'
        ? told('output-field-required', 'compatible', `${what} of the output is now always there`)
        : told('output-field-optional', 'breaking', `${what} of the output may now be missing`);
    default:
  }
  const values = valuesText(change);
  switch (change.kind) {
    case 'described':
      return told(
        `output-${change.keyword}-changed`,
        'behavior',
        `${what} of the output: ${change.keyword} changed`,
      );
    case 'undecided':
      return told(
        'output-undecided',
        'unknown',
        `${what} of the output: ${change.keyword} changed; what that means cannot be decided`,
      );
    case 'narrowed':
      return told(
        `output-${change.keyword}-narrowed`,
        'compatible',
        `${what} of the output has fewer values (${change.keyword}${values})`,
      );
    case 'widened':
      return told(
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
  const texts = to.map((value) => JSON.stringify(value));
  const different = from.map((value) => JSON.stringify(value)).filter((text) => !texts.includes(text));
  return `: ${kind === 'narrowed' ? 'no longer ' : 'also '}${truncate(different.join(', '), 80)}`;
}

/** Recorded calls of the changed entry, and those that it breaks. */
function provingCalls(
  change: Change,
  calls: readonly TracedCall[],
  nowTools: ReadonlyMap<string, string>,
  validate: Validate,
): CatalogChange['calls'] {
  const method = methods[change.of];
  const own = calls.filter(
    (call) => call.direction === 'out' && call.method === method && call.target === change.name,
  );
  const isBroken = brokenBy(change, nowTools, validate);
  const broken = isBroken === null ? [] : own.filter(isBroken);
  return { count: own.length, broken: broken.length, rows: broken.slice(0, MAX_ROWS).map(({ row }) => row) };
}

const methods: Readonly<Record<CatalogChange['of'], string | null>> = {
  tool: 'tools/call',
  resource: 'resources/read',
  template: null,
  prompt: 'prompts/get',
  server: null,
};

/** Whether a change breaks a call of its entry; null if it breaks none by itself. */
function brokenBy(
  { rule, class: changeClass, of, name, pointer }: Change,
  nowTools: ReadonlyMap<string, string>,
  validate: Validate,
): ((call: TracedCall) => boolean) | null {
  if (changeClass !== 'breaking' && changeClass !== 'unknown') return null;
  if (rule.endsWith('-removed') && pointer === '') return () => true;
  if (rule.endsWith('-renamed') && pointer === '') return () => true;
  if (of !== 'tool' || !pointer.startsWith('/inputSchema')) return null;
  const schema = memberText(nowTools.get(name) ?? '', ['inputSchema']);
  if (schema === null) return null;
  // A recorded call that passes an argument which is gone is broken, whether or not others are allowed.
  const gone =
    rule === 'argument-removed' || rule === 'argument-renamed' ? pointer.split('/').at(-1) : undefined;
  return ({ params }) => {
    const args = (params === null ? null : memberText(params, ['arguments'])) ?? '{}';
    if (gone !== undefined && memberText(args, [gone]) !== null) return true;
    return validate(schema, args).state === 'invalid';
  };
}

function parsed(text: string, member: string): unknown {
  const value = memberText(text, [member]);
  return value === null ? undefined : JSON.parse(value);
}

/** A value as JSON, truncated; null if it is missing. */
function shown(value: unknown): string | null {
  if (value === undefined) return null;
  return truncate(
    typeof value === 'string' && value.startsWith('{') ? value : JSON.stringify(value),
    MAX_SHOWN,
  );
}

const valueText = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value));

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
