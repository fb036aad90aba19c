import { diffArrays } from 'diff';
import type {
  AuthorizationFlow,
  AuthorizationParameter,
  AuthorizationStep,
} from '#shared/contract/authorization.ts';

/** One way through a flow, from its first step. A flow has another one after each step that was taken back or forked. */
export interface Attempt {
  /** Counts from 1, the oldest first. */
  readonly number: number;
  readonly steps: readonly AuthorizationStep[];
}

/** The attempts of a flow. One that ends before it sent anything of its own counts only while it is the current one. */
export function attemptsOf({ steps: all, currentStep }: AuthorizationFlow): readonly Attempt[] {
  const steps = all.filter((step) => step.state !== 'planned' && !isScan(step));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const inside = new Set(steps.map(({ after }) => after));
  const chains = steps
    .filter(({ id }) => !inside.has(id))
    .map((leaf) => {
      const chain: AuthorizationStep[] = [];
      for (let at: AuthorizationStep | undefined = leaf; at !== undefined; at = byId.get(at.after ?? 0))
        chain.unshift(at);
      while (chain.at(-1)?.state === 'taken-back' && chain.at(-1)?.startedAt === null) chain.pop();
      return chain;
    });
  const isCurrent = (chain: readonly AuthorizationStep[]) => chain.at(-1)?.id === currentStep;
  const own = chains.filter((chain, place) => {
    const last = chain.at(-1);
    if (last === undefined) return false;
    const isInAnother = chains.some((other, at) => {
      const isEqual = other.length === chain.length;
      return at !== place && other.includes(last) && (!isEqual || at < place);
    });
    return isCurrent(chain) || !isInAnother;
  });
  return own.map((chain, place) => ({ number: place + 1, steps: chain }));
}

/** A further exchange that looks for metadata, from which no step follows. */
const isScan = ({ label }: AuthorizationStep): boolean => label.startsWith('scan, ');

/** A value of one of two attempts. A secret is a fingerprint. */
export interface ComparedValue {
  readonly text: string;
  readonly isSecret: boolean;
  /** Whether it was in the request, but not sent. */
  readonly isOff: boolean;
}

/** Something that two steps have in common, or one of them. */
export interface ComparedRow {
  /** The part of the request, or what came of the step. */
  readonly part: 'request' | 'query' | 'headers' | 'body' | 'result';
  /** The name of a parameter, or what else it is. */
  readonly name: string;
  /** Null if this attempt does not have it. */
  readonly left: ComparedValue | null;
  readonly right: ComparedValue | null;
  /** `renewed`: differs in each attempt by itself, such as `state`. */
  readonly kind: 'same' | 'differs' | 'renewed';
}

/** A step of two attempts; null where only the other one has it. */
export interface ComparedStep {
  readonly left: AuthorizationStep | null;
  readonly right: AuthorizationStep | null;
  /** Whether both attempts have this very step, from before they parted. */
  readonly isShared: boolean;
  readonly rows: readonly ComparedRow[];
}

/** The steps of two attempts beside each other, in their order. Steps are the same by their name and label. */
export function compareAttempts(left: Attempt, right: Attempt): readonly ComparedStep[] {
  const keysOf = ({ steps }: Attempt) => steps.map(({ name, label }) => JSON.stringify([name, label]));
  const compared: ComparedStep[] = [];
  let [l, r] = [0, 0];
  for (const { added, removed, count } of diffArrays(keysOf(left), keysOf(right))) {
    for (let one = 0; one < count; one++) {
      const own = added ? null : (left.steps[l++] ?? null);
      const other = removed ? null : (right.steps[r++] ?? null);
      const isShared = own !== null && own.id === other?.id;
      compared.push({ left: own, right: other, isShared, rows: isShared ? [] : rowsOf(own, other) });
    }
  }
  return compared;
}

/** How many steps and values two attempts differ in. */
export function countDifferences(compared: readonly ComparedStep[]): {
  readonly steps: number;
  readonly values: number;
} {
  const differing = compared.map(({ left, right, rows }) =>
    left === null || right === null ? 0 : rows.filter(({ kind }) => kind === 'differs').length,
  );
  return {
    steps: compared.filter(({ left, right }) => left === null || right === null).length,
    values: differing.reduce((sum, count) => sum + count, 0),
  };
}

type Sides = readonly [AuthorizationStep | null, AuthorizationStep | null];

function rowsOf(...sides: [...Sides]): readonly ComparedRow[] {
  const row = (
    part: ComparedRow['part'],
    name: string,
    read: (step: AuthorizationStep) => string | null,
  ): ComparedRow[] => {
    const [left = null, right = null] = sides.map((step) => plain(step === null ? null : read(step)));
    return left === null && right === null ? [] : [{ part, name, left, right, kind: kindOf(left, right) }];
  };
  const list = (part: 'query' | 'headers' | 'body') => parametersOf(part, sides);
  return [
    ...row('request', 'method', ({ request }) => request?.method ?? null),
    ...row('request', 'URL', ({ request }) => request?.url ?? null),
    ...list('query'),
    ...list('headers'),
    ...list('body'),
    ...row('request', 'aud of the client assertion', ({ assertion }) => assertion?.audience ?? null),
    ...row('request', 'kid of the client assertion', ({ assertion }) => assertion?.keyId ?? null),
    ...row('request', 'wrong value', ({ wrongValue }) => wrongValue),
    ...row('result', 'status', ({ response }) => (response === null ? null : String(response.status))),
    ...row('result', 'outcome', ({ outcome }) => (outcome === '' ? null : outcome)),
    ...row('result', 'findings', findingsText),
  ];
}

/** The rules that a response breaks, with their words. */
const findingsText = ({ findings }: AuthorizationStep): string | null =>
  findings.length === 0
    ? null
    : findings.map(({ rule, severity, text }) => `${severity} ${rule}: ${text}`).join('\n');

const plain = (text: string | null): ComparedValue | null =>
  text === null ? null : { text, isSecret: false, isOff: false };

const kindOf = (left: ComparedValue | null, right: ComparedValue | null): ComparedRow['kind'] =>
  left?.text === right?.text && left?.isOff === right?.isOff && left?.isSecret === right?.isSecret
    ? 'same'
    : 'differs';

/** A parameter of one side, and whether the user changed it. */
interface Found {
  readonly key: string;
  readonly name: string;
  readonly value: ComparedValue;
  readonly isEdited: boolean;
}

/** The parameters of a part of both requests. Of several with the same name the first belongs to the first. */
function parametersOf(part: 'query' | 'headers' | 'body', sides: Sides): ComparedRow[] {
  const [left = [], right = []] = sides.map((step) => foundIn(part, step));
  const others = new Map(right.map((one) => [one.key, one]));
  const rowFor = (name: string, own: Found | undefined, other: Found | undefined): ComparedRow => {
    const [a, b] = [own?.value ?? null, other?.value ?? null];
    const isNew = renewed.has(name.toLowerCase()) && own?.isEdited === false && other?.isEdited === false;
    const kind = kindOf(a, b);
    return { part, name, left: a, right: b, kind: kind === 'differs' && isNew ? 'renewed' : kind };
  };
  const known = new Set(left.map(({ key }) => key));
  return [
    ...left.map((one) => rowFor(one.name, one, others.get(one.key))),
    ...right.filter(({ key }) => !known.has(key)).map((one) => rowFor(one.name, undefined, one)),
  ];
}

function foundIn(part: 'query' | 'headers' | 'body', step: AuthorizationStep | null): Found[] {
  const keyed = (parameters: readonly AuthorizationParameter[]) => {
    const places = new Map<string, number>();
    return parameters.map((one) => {
      // The names of headers are the same in any case (RFC 9110 section 5.1).
      const name = part === 'headers' ? one.name.toLowerCase() : one.name;
      const place = places.get(name) ?? 0;
      places.set(name, place + 1);
      return { key: JSON.stringify([name, place]), one };
    });
  };
  const planned = new Map(
    keyed(step?.original?.request[part] ?? []).map(({ key, one }) => [key, one] as const),
  );
  return keyed(step?.request?.[part] ?? []).map(({ key, one }) => {
    const { name, value, fingerprint, isOn } = one;
    const before = planned.get(key);
    const isEdited =
      step?.original != null &&
      (before?.value !== value || before.fingerprint !== fingerprint || before.isOn !== isOn);
    const text = value ?? fingerprint ?? '';
    return { key, name, value: { text, isSecret: value === null, isOff: !isOn }, isEdited };
  });
}

/** Names of values that are new in each attempt. */
const renewed: ReadonlySet<string> = new Set([
  'state',
  'nonce',
  'code_challenge',
  'code',
  'code_verifier',
  'client_assertion',
  'assertion',
  'subject_token',
  'refresh_token',
  'token',
  'dpop',
  'authorization',
]);
