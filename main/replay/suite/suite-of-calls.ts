import type { InboxEntry } from '#shared/contract/inbox.ts';
import { anyResult, plainCall, type SavedCall } from '#shared/contract/saved-calls.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { mapLeaves } from '#shared/json/inner-json.ts';
import { memberText } from '#shared/json/members.ts';
import { pathText } from '#shared/json/path-pattern.ts';
import { withoutVariables } from '#shared/json/variables.ts';
import { isNumberPlaceholder, secretPlaceholder } from '#replay/compare/noise.ts';
import { isNamed, keysOf, Provenance } from '#replay/provenance.ts';

/** What is recorded of a session. */
export interface RecordedSession {
  readonly calls: readonly TracedCall[];
  /** What the server asked of the user, with the answers. */
  readonly questions: readonly InboxEntry[];
}

export interface Suite {
  readonly calls: readonly SavedCall[];
  /** Variables that stand for secrets. */
  readonly variables: readonly string[];
  readonly leftOut: readonly { readonly row: number; readonly method: string; readonly reason: string }[];
}

/**
 * A session in which calls for which the server made a task have the result of the task.
 *
 * @param finalResult by the row of the request; null if there is none
 */
export async function withFinalResults(
  { calls, questions }: RecordedSession,
  finalResult: (row: number) => Promise<string | null>,
): Promise<RecordedSession> {
  const ended: TracedCall[] = [];
  for (const call of calls) {
    ended.push(call.direction === 'out' ? await withFinalResult(call, finalResult) : call);
  }
  return { calls: ended, questions };
}

/** Makes saved calls of recorded ones, which expect the recorded answers. */
export function suiteOf({ calls: all, questions }: RecordedSession): Suite {
  const calls: TracedCall[] = [];
  const leftOut: Suite['leftOut'][number][] = [];
  for (const call of all.filter(({ direction }) => direction === 'out')) {
    const reason = whyLeftOut(call);
    if (reason === null) calls.push(call);
    else leftOut.push({ row: call.row, method: call.method, reason });
  }
  const writer = new SuiteWriter(calls);
  const saved = calls.map((call, index) => {
    const until = calls[index + 1]?.row ?? Number.POSITIVE_INFINITY;
    const asked = questions.filter(({ row, by }) => row > call.row && row < until && by !== 'error');
    return writer.savedCall(call, asked);
  });
  return { calls: saved, variables: writer.secrets, leftOut };
}

async function withFinalResult(
  call: TracedCall,
  finalResult: (row: number) => Promise<string | null>,
): Promise<TracedCall> {
  const { response, outcome, row } = call;
  if (outcome !== 'ok' || response === null || !isUnfinished(response)) return call;
  const result = await finalResult(row);
  if (result === null || isUnfinished(result)) return { ...call, outcome: 'none', response: null };
  const isError = memberText(result, ['isError']) === 'true';
  return { ...call, outcome: isError ? 'tool-error' : 'ok', response: result };
}

/** Whether a result asks for input that never came, or names the task that has the result. */
function isUnfinished(result: string): boolean {
  const type = memberText(result, ['resultType']);
  return type === '"input_required"' || type === '"task"' || memberText(result, ['task', 'taskId']) !== null;
}

function whyLeftOut({ method, outcome, isTooLarge, params }: TracedCall): string | null {
  if (method.startsWith('tasks/')) return 'the test runner follows tasks by itself';
  if (isTooLarge) return 'its response is too large';
  if (outcome === 'none') return 'it has no response';
  if (params !== null && !params.trimStart().startsWith('{')) return 'its params are not an object';
  return null;
}

/** Names values while it writes one call after the other. */
class SuiteWriter {
  readonly #provenance: Provenance;
  /** The variable of each value that came out of an earlier answer, by its keys. */
  readonly #captured = new Map<string, string>();
  /** The variable of each secret, by its placeholder. */
  readonly #secrets = new Map<string, string>();
  readonly #variableNames = new Set<string>();
  readonly #callNames = new Set<string>();

  constructor(calls: readonly TracedCall[]) {
    this.#provenance = new Provenance(calls);
  }

  get secrets(): string[] {
    return [...this.#secrets.values()];
  }

  savedCall(call: TracedCall, asked: readonly InboxEntry[]): SavedCall {
    const { method, target, params, row } = call;
    const tool = method === 'tools/call' ? target : null;
    const own = tool === null ? params : memberText(params ?? '{}', ['arguments']);
    // Written before what it captures is known: a call cannot use its own answer.
    const args = this.#written(own ?? '{}', true, tool === null ? isNamed : undefined);
    const answers = asked.flatMap((entry) => this.#answerTo(entry));
    const capture: Record<string, string> = {};
    for (const { keys, path } of this.#provenance.sourcesOf(row)) {
      const name = unused(this.#variableNames, nameOf(path.findLast((step) => typeof step === 'string')));
      for (const key of keys) this.#captured.set(key, name);
      capture[name] = pathText(path);
    }
    return {
      ...plainCall,
      name: unused(
        this.#callNames,
        target === null ? method : tool === null ? `${method} ${target}` : tool,
        ' ',
      ),
      method,
      tool,
      arguments: args,
      answers,
      capture,
      expect: this.#expectations(call),
    };
  }

  #expectations({ outcome, response }: TracedCall): SavedCall['expect'] {
    if (outcome === 'error') {
      const code = Number(memberText(response ?? '{}', ['code']));
      return { ...anyResult, status: 'protocol-error', code: Number.isInteger(code) ? code : null };
    }
    const hidden: string[] = [];
    mapLeaves(response ?? '{}', (value, path) => {
      if (placeholdersIn(value).some((one) => !this.#secrets.has(one))) hidden.push(pathText(path));
      return value;
    });
    return {
      ...anyResult,
      status: outcome === 'tool-error' ? 'tool-error' : 'ok',
      result: this.#written(response ?? '{}', false),
      // What the recording does not have cannot be compared.
      compare: hidden.map((path) => ({ path, compare: 'type' as const })),
    };
  }

  #answerTo({ method, answer }: InboxEntry): SavedCall['answers'] {
    if (answer === null) return [];
    const { content } = answer;
    const given =
      content.kind === 'result' ? { ...content, json: this.#written(content.json, true) } : content;
    const to = answerable.find((one) => one === method);
    return to === undefined ? [] : [{ method: to, answer: given }];
  }

  #variableOf(value: string, path: readonly (string | number)[]): string | undefined {
    return keysOf(value, path)
      .map((key) => this.#captured.get(key))
      .find((name) => name !== undefined);
  }

  #nameSecrets(value: string, path: readonly (string | number)[]): void {
    for (const placeholder of placeholdersIn(value)) {
      if (this.#secrets.has(placeholder)) continue;
      const last = path.findLast((step) => typeof step === 'string');
      this.#secrets.set(placeholder, unused(this.#variableNames, nameOf(last)));
    }
  }

  /**
   * A JSON text with variables for values of earlier answers and for secrets, in which nothing else is a variable.
   *
   * @param isKept whether the value at a path is written as recorded
   */
  #written(
    json: string,
    namesSecrets: boolean,
    isKept: (path: readonly (string | number)[]) => boolean = () => false,
  ): string {
    return mapLeaves(json, (value, path, isInner) => {
      const name = isKept(path) ? undefined : this.#variableOf(value, path);
      if (name !== undefined) return variable(name, isInner && !value.startsWith('"'));
      if (namesSecrets) this.#nameSecrets(value, path);
      const number = isNumberPlaceholder(value) ? this.#secrets.get(value) : undefined;
      if (number !== undefined) return variable(number, isInner);
      if (!value.startsWith('"')) return value;
      const text = withoutVariables(String(JSON.parse(value)));
      return JSON.stringify(
        text.replaceAll(secretPlaceholder, (found) => {
          const secret = this.#secrets.get(found);
          return secret === undefined ? found : `\${${secret}}`;
        }),
      );
    });
  }
}

/** A variable as a JSON text. In a string that holds JSON, a number is written without quotation marks. */
const variable = (name: string, isInnerNumber: boolean): string =>
  isInnerNumber ? `\${${name}}` : JSON.stringify(`\${${name}}`);

const answerable = ['sampling/createMessage', 'elicitation/create', 'roots/list'] as const;

const placeholdersIn = (value: string): string[] => value.match(secretPlaceholder) ?? [];

/** A name of a variable made of the name of a member. */
function nameOf(member: string | number | undefined): string {
  const name = String(member ?? 'value').replaceAll(/[^\p{L}\p{N}_]+/gu, '_');
  return /^[\p{L}_]/u.test(name) ? name : `_${name}`;
}

/** The name, or with a number behind it if it is taken; it is taken from then on. */
function unused(taken: Set<string>, name: string, separator = '_'): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}${separator}${number}`;
  taken.add(free);
  return free;
}
