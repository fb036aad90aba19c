import { Budget, OverBudget, withinBudget } from '#shared/budget.ts';
import type { CatalogChange, ChangeClass } from '#shared/contract/comparison.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { textsByName } from '#shared/list-changes.ts';
import { memberText } from '#shared/json/members.ts';
import { isSameJson } from '#shared/json/same-json.ts';
import { compactJson } from '#shared/json/tokens.ts';
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
  whole?: Budget,
): CatalogChange[] {
  const budget = whole?.part(CATALOG_LIMIT) ?? new Budget(CATALOG_LIMIT);
  const changes = [
    ...serverChanges(before, after),
    ...kinds.flatMap((kind) => listedChanges(kind, before.lists[kind], after.lists[kind], budget)),
  ];
  const proof = new Proof({ calls, before, after, validate, budget });
  return changes
    .map((change) => {
      const proved = withinBudget(() => proof.of(change));
      return proved instanceof OverBudget
        ? {
            ...change,
            calls: noCalls,
            text: `${change.text}; which recorded calls it breaks was not checked`,
          }
        : { ...change, calls: proved };
    })
    .sort((a, b) => severity[a.class] - severity[b.class]);
}

const noCalls = { count: 0, broken: 0, rows: [] };

/** What two catalogs may take. Real ones of some hundred tools take a hundredth of it. */
export const CATALOG_LIMIT = { steps: 2_000_000, characters: 200_000_000 };

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
  budget: Budget,
): Change[] {
  if (before === null || after === null) return [];
  const [was, is] = [textsByName(before), textsByName(after)];
  const changes: Change[] = [];
  const gone = [...was.keys()].filter((name) => !is.has(name));
  const added = [...is.keys()].filter((name) => !was.has(name));
  const successors = new Successors(of, added, is, gone.length);
  const renamed = new Set<string>();
  for (const [name, text] of was) {
    const now = is.get(name);
    if (now === undefined) {
      const successor = successors.of(name, text);
      if (successor !== null) renamed.add(successor);
      changes.push(removed({ of, name, text }, successor, successors.comparesNames, is));
    } else if (!isSameJson(text, now))
      for (const one of entryChanges(of, name, text, now, budget)) changes.push(one);
  }
  // A model confuses a tool only with one that is still listed.
  const names = [...was.keys()].filter((name) => is.has(name));
  const comparesNames = of === 'tool' && names.length * added.length <= MAX_NAME_PAIRS;
  for (const name of added) {
    const like = comparesNames && !renamed.has(name) ? similarWord(name, names) : null;
    const about = { of, name, pointer: '', before: null, after: shownJson(is.get(name)) };
    if (like === null) {
      const unchecked = renamed.has(name)
        ? ', probably a renamed one'
        : of === 'tool' && !comparesNames
          ? `; ${namesNotCompared}`
          : '';
      changes.push({
        ...about,
        rule: `${of}-added`,
        class: 'compatible',
        text: `${noun[of]} added${unchecked}`,
      });
    } else {
      const text = `Tool added, with a name like that of ${like}: a model may confuse them`;
      changes.push({ ...about, rule: 'tool-resembles', class: 'behavior', text });
    }
  }
  const [size, sizeNow] = [sizeOf(was), sizeOf(is)];
  // Without tools before there is nothing that it could have grown from.
  if (of === 'tool' && size > 0 && sizeNow >= size * MIN_GROWTH && sizeNow - size >= MIN_GROWN) {
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
  { of, name, text }: { readonly of: ListedKind; readonly name: string; readonly text: string },
  successor: string | null,
  comparesNames: boolean,
  now: ReadonlyMap<string, string>,
): Change {
  const about = { class: 'breaking', of, name, pointer: '', before: shownJson(text) } as const;
  if (successor === null) {
    const unchecked = comparesNames ? '' : `; ${namesNotCompared}`;
    return { ...about, rule: `${of}-removed`, text: `${noun[of]} removed${unchecked}`, after: null };
  }
  const after = shownJson(now.get(successor));
  return {
    ...about,
    rule: `${of}-renamed`,
    text: `${noun[of]} removed, probably renamed to ${successor}`,
    after,
  };
}

/** Pairs of a name that came and one that went, up to which each is compared with each. */
const MAX_NAME_PAIRS = 100_000;

const namesNotCompared = 'its name was not compared with others, because too many names came and went';

/** Finds the added entry that takes the place of a removed one: the same but for its name, or with a similar name. */
class Successors {
  readonly #of: ListedKind;
  readonly #added: readonly string[];
  /** The first added entry of each content. */
  readonly #byContent = new Map<string, string>();
  /** Whether similar names are looked for. */
  readonly comparesNames: boolean;

  constructor(of: ListedKind, added: readonly string[], now: ReadonlyMap<string, string>, gone: number) {
    this.#of = of;
    this.#added = added;
    this.comparesNames = added.length * gone <= MAX_NAME_PAIRS;
    if (gone === 0) return;
    for (const name of added) {
      const content = this.#contentOf(now.get(name) ?? '');
      if (content !== null && !this.#byContent.has(content)) this.#byContent.set(content, name);
    }
  }

  of(name: string, text: string): string | null {
    const content = this.#contentOf(text);
    const same = content === null ? undefined : this.#byContent.get(content);
    return same ?? (this.comparesNames ? similarWord(name, this.#added) : null);
  }

  /** What identifies an entry besides its name, with sorted members; null if there is too little. */
  #contentOf(text: string): string | null {
    const member = this.#of === 'tool' ? 'inputSchema' : this.#of === 'prompt' ? 'arguments' : 'name';
    const content = memberText(text, [member]);
    return content === null || content.length <= MIN_CONTENT
      ? null
      : (compactJson(content, { sortsKeys: true }) ?? content);
  }
}

/** A shorter content is like another by chance. */
const MIN_CONTENT = 40;

interface ProofOptions {
  readonly calls: readonly TracedCall[];
  readonly before: Catalog;
  readonly after: Catalog;
  readonly validate: Validate;
  readonly budget: Budget;
}

/** Finds the recorded calls of a changed entry, and those that the change breaks. */
class Proof {
  readonly #calls = new Map<string, TracedCall[]>();
  readonly #oldTools: ReadonlyMap<string, string>;
  readonly #nowTools: ReadonlyMap<string, string>;
  readonly #validate: Validate;
  readonly #budget: Budget;
  /** Whether calls are invalid by the schema of their tool, before and now: a tool may have many changes. */
  readonly #invalid = new Map<TracedCall, Map<string, boolean>>();

  constructor({ calls, before, after, validate, budget }: ProofOptions) {
    this.#budget = budget;
    this.#oldTools = textsByName(before.lists.tool ?? []);
    this.#nowTools = textsByName(after.lists.tool ?? []);
    this.#validate = validate;
    for (const call of calls) {
      if (call.direction !== 'out') continue;
      const key = keyOf(call.method, call.target);
      const own = this.#calls.get(key);
      if (own === undefined) this.#calls.set(key, [call]);
      else own.push(call);
    }
  }

  of(change: Change): CatalogChange['calls'] {
    const method = methods[change.of];
    const own = method === null ? [] : (this.#calls.get(keyOf(method, change.name)) ?? []);
    this.#budget.take(own.length);
    const isBroken = this.#brokenBy(change);
    const broken = isBroken === null ? [] : own.filter((call) => hasWorked(call) && isBroken(call));
    return {
      count: own.length,
      broken: broken.length,
      rows: broken.slice(0, MAX_ROWS).map(({ row }) => row),
    };
  }

  /** Whether a change breaks a call of its entry; null if it breaks none by itself. */
  #brokenBy({ rule, class: changeClass, of, name, pointer }: Change): ((call: TracedCall) => boolean) | null {
    if (changeClass !== 'breaking' && changeClass !== 'unknown') return null;
    if (rule.endsWith('-removed') && pointer === '') return () => true;
    if (rule.endsWith('-renamed') && pointer === '') return () => true;
    if (of !== 'tool' || !pointer.startsWith('/inputSchema')) return null;
    const schema = memberText(this.#nowTools.get(name) ?? '', ['inputSchema']);
    if (schema === null) return null;
    // A recorded call that passes an argument which is gone is broken, whether or not others are allowed.
    const gone =
      rule === 'argument-removed' || rule === 'argument-renamed' ? pointer.split('/').at(-1) : undefined;
    const old = memberText(this.#oldTools.get(name) ?? '', ['inputSchema']);
    return (call) => {
      const passesGone = gone !== undefined && memberText(argumentsOf(call), [gone]) !== null;
      if (!passesGone && !this.#isInvalid(call, schema)) return false;
      // What was invalid before cannot be broken by a change.
      return old === null || !this.#isInvalid(call, old);
    };
  }

  #isInvalid(call: TracedCall, schema: string): boolean {
    const results = this.#invalid.get(call) ?? new Map<string, boolean>();
    const known = results.get(schema);
    if (known !== undefined) return known;
    const isInvalid = this.#validate(schema, argumentsOf(call)).state === 'invalid';
    this.#invalid.set(call, results.set(schema, isInvalid));
    return isInvalid;
  }
}

/** A call that the recorded server answered with an error cannot be broken. */
const hasWorked = ({ outcome }: TracedCall): boolean => outcome === 'ok' || outcome === 'none';

const keyOf = (method: string, target: string | null): string => JSON.stringify([method, target]);

const argumentsOf = ({ params }: TracedCall): string =>
  (params === null ? null : memberText(params, ['arguments'])) ?? '{}';

const methods: Readonly<Record<CatalogChange['of'], string | null>> = {
  tool: 'tools/call',
  resource: 'resources/read',
  template: null,
  prompt: 'prompts/get',
  server: null,
};
