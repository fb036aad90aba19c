import { createHash } from 'node:crypto';
import type { CatalogEntry, Tool } from '#shared/contract/catalog.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { CallSafety, RerunCall, RerunChoice, RerunSource } from '#shared/contract/rebuild.ts';
import type { TestFile } from '#shared/contract/saved-calls.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { truncate } from '#shared/format.ts';
import { memberText } from '#shared/json/members.ts';
import { secretPlaceholder } from '#replay/compare/noise.ts';
import { callsOnly, requestText } from '#testing/called-tools.ts';

/** Limit of characters of params that the user sees. */
const MAX_SHOWN = 300;

/** What a choice is about: the calls that can run again, and the tools of the server. */
export interface Choosable {
  readonly source: RerunSource;
  readonly calls: readonly RerunCall[];
  readonly tools: readonly CatalogEntry[];
}

interface Agreed {
  readonly call: RerunCall;
  /** The hints of its tool, as text. */
  readonly hints: string | null;
}

/** The calls of a server that run again after each restart, and what the user agreed to. */
export class Rerun {
  #source: RerunSource | null = null;
  readonly #agreed = new Map<string, Agreed>();
  /** The keys of all calls of the test file. */
  #fileKeys = new Set<string>();
  #changes: readonly string[] = [];

  get source(): RerunSource | null {
    return this.#source;
  }

  get view(): RerunChoice {
    return {
      source: this.#source,
      calls: [...this.#agreed.values()].map(({ call }) => call),
      consent: this.#source === null ? 'none' : this.#changes.length > 0 ? 'changed' : 'given',
      changes: [...this.#changes],
    };
  }

  has(key: string): boolean {
    return this.#agreed.has(key);
  }

  /** Whether all chosen calls are among these. */
  isCoveredBy(calls: readonly TracedCall[]): boolean {
    if (this.#source?.kind !== 'calls') return true;
    const keys = new Set(calls.map(keyOfCall));
    return [...this.#agreed.keys()].every((key) => keys.has(key));
  }

  clear(): void {
    this.#source = null;
    this.#agreed.clear();
    this.#changes = [];
  }

  /**
   * Takes the calls as the user saw them.
   *
   * @throws FaultError if one of them is gone, or says something else about itself by now
   */
  choose(now: Choosable, seen: readonly Pick<RerunCall, 'key' | 'safety'>[]): void {
    const known = new Map(now.calls.map((call) => [call.key, call]));
    const chosen = seen.map(({ key, safety }) => {
      const call = known.get(key);
      if (call === undefined || call.safety !== safety) throw new FaultError(haveChanged);
      return call;
    });
    this.clear();
    if (chosen.length === 0) return;
    this.#source = now.source;
    for (const call of chosen) this.#agreed.set(call.key, { call, hints: hintsOf(call, now.tools) });
    this.#fileKeys = new Set(known.keys());
  }

  /** Compares with what the user agreed to; returns whether the calls may run. */
  mayRun({ source, calls, tools }: Choosable): boolean {
    const keys = new Set(calls.map(({ key }) => key));
    const isSameFile = source.kind === 'calls' || isSameSet(keys, this.#fileKeys);
    this.#changes = [
      ...(isSameFile ? [] : ['The calls of the file are not the ones that you chose from.']),
      ...new Set(
        [...this.#agreed.values()].flatMap(({ call, hints }) => {
          const now = hintsOf(call, tools);
          // A tool that is gone is not called.
          return now === null || now === hints
            ? []
            : [`The annotations of ${call.target} changed from ${hints} to ${now}.`];
        }),
      ),
    ];
    return this.#changes.length === 0;
  }
}

/** The calls of a session that can run again, each once, in their order. */
export function callsToRerun(calls: readonly TracedCall[], tools: readonly CatalogEntry[]): RerunCall[] {
  const found = new Map<string, RerunCall>();
  for (const call of calls) {
    const { direction, method, target, params } = call;
    if (direction !== 'out' || notAgain.test(method) || params?.match(secretPlaceholder) != null) continue;
    const key = keyOfCall(call);
    const isClear = callsOnly(target, requestText(method, params));
    const safety = isClear || method !== 'tools/call' ? safetyOf(method, target, tools) : 'unannotated';
    const shown = truncate(memberText(params ?? '', ['arguments']) ?? params ?? '{}', MAX_SHOWN);
    found.set(key, { key, name: null, method, target, params: shown, safety });
  }
  return [...found.values()];
}

/** Restored by themselves, or about something that ended with the session. */
const notAgain = /^(?:tasks\/|resources\/(?:un)?subscribe$|subscriptions\/|logging\/setLevel$)/;

/** The calls of a test file. */
export const callsOfFile = ({ calls }: TestFile, tools: readonly CatalogEntry[]): RerunCall[] =>
  calls.map(({ name, method, tool, arguments: args }) => ({
    key: keyOf([name, method, tool, args]),
    name,
    method,
    target: tool,
    params: truncate(args, MAX_SHOWN),
    safety: safetyOf(method, tool, tools),
  }));

/** Names a call by what is sent. */
export const keyOfCall = ({ method, target, params }: TracedCall): string => keyOf([method, target, params]);

const keyOf = (parts: readonly (string | null)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);

/** Methods that change nothing by design; what any other method does is not known. */
const readingMethods: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'ping',
]);

function safetyOf(method: string, target: string | null, tools: readonly CatalogEntry[]): CallSafety {
  if (method !== 'tools/call') return readingMethods.has(method) ? 'no-tool' : 'unannotated';
  const { readOnlyHint, destructiveHint } = toolNamed(target, tools)?.annotations ?? {};
  if (readOnlyHint === true) return 'read-only';
  if (destructiveHint === false) return 'not-destructive';
  return destructiveHint === true ? 'destructive' : 'unannotated';
}

/** The hints of the tool of a call, such as `readOnlyHint: true`; null if it calls no tool that is listed. */
function hintsOf({ method, target }: RerunCall, tools: readonly CatalogEntry[]): string | null {
  const tool = method === 'tools/call' ? toolNamed(target, tools) : undefined;
  if (tool === undefined) return null;
  const hints = Object.entries(tool.annotations ?? {}).filter(([name]) => name.endsWith('Hint'));
  const texts = hints.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name}: ${value}`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}

function toolNamed(name: string | null, tools: readonly CatalogEntry[]): Tool | undefined {
  const entry = tools.find((one) => 'tool' in one && one.usable && one.tool.name === name);
  return entry !== undefined && 'tool' in entry ? entry.tool : undefined;
}

const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((key) => other.has(key));

const haveChanged = {
  code: 'calls-changed',
  what: 'The calls were not chosen, because they are not the ones that you saw.',
  why: 'The server was restarted, or the file was changed.',
  next: 'Look at the list again, and choose.',
};
