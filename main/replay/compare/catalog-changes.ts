import type { CatalogChange, ChangeClass } from '#shared/contract/comparison.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { textsByName } from '#shared/list-changes.ts';
import { memberText } from '#shared/json/members.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { similarWord } from '#shared/similar-word.ts';
import type { CatalogEntry } from '#shared/contract/catalog.ts';
import { type Change, entryChanges, type ListedKind, shownJson } from './entry-changes.ts';

/** What a server declared and listed in one session. A list is null if it was not read whole. */
export interface Catalog {
  readonly revision: string | null;
  /** The capabilities that the server declared; null if it was not asked. */
  readonly capabilities: Readonly<Record<string, unknown>> | null;
  readonly lists: Readonly<Record<ListedKind, readonly CatalogEntry[] | null>>;
}

/** Validates a value against a JSON Schema; both are JSON text. */
type Validate = (schema: string, value: string) => Validation;

const kinds: readonly ListedKind[] = ['tool', 'resource', 'template', 'prompt'];

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

/** The lists that only the other side did not read whole. */
export const lostLists = (before: Catalog, after: Catalog): ListedKind[] =>
  kinds.filter((kind) => before.lists[kind] !== null && after.lists[kind] === null);

/** The lists that were not read whole. */
export const unreadLists = ({ lists }: Catalog): ListedKind[] => kinds.filter((kind) => lists[kind] === null);

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
  const [was, is] =
    before.capabilities === null || after.capabilities === null
      ? [[], []]
      : [Object.keys(before.capabilities), Object.keys(after.capabilities)];
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
    const about = { of, name, pointer: '', before: null, after: shownJson(is.get(name)) };
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
  const about = { class: 'breaking', of, name, pointer: '', before: shownJson(text) } as const;
  if (successor === null)
    return { ...about, rule: `${of}-removed`, text: `${noun[of]} removed`, after: null };
  const after = shownJson(now.get(successor));
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
