import type {
  AssertionChoice,
  AuthorizationParameter,
  StepDraft,
  StepRequest,
} from '#shared/contract/authorization.ts';
import { type PreparedRequest, withoutTypedSecrets } from './step-request.ts';
import { fingerprintOf } from './tokens.ts';

const parts = ['query', 'headers', 'body'] as const;
type Part = (typeof parts)[number];

/** A change of a parameter that the step had as it was planned. */
interface ParameterEdit {
  readonly part: Part;
  readonly name: string;
  /** Of several with this name, counted from 0. */
  readonly place: number;
  /** Without it the value is the planned one. */
  readonly value?: string;
  readonly isOn: boolean;
}

/**
 * What the user changed in the request of a step, to be changed again when the flow comes to that step again. It has the secrets that
 * were typed, so it is never shown or stored.
 */
export interface StepEdits {
  /** Null for the planned one. */
  readonly method: string | null;
  readonly url: string | null;
  readonly changed: readonly ParameterEdit[];
  readonly added: readonly { readonly part: Part; readonly parameter: AuthorizationParameter }[];
  readonly wrongValue: string | null;
  /** Null for the planned one. */
  readonly assertion: AssertionChoice | null;
}

/** The client assertion of a request, which is signed again rather than kept. */
export const ASSERTION = 'client_assertion';

/**
 * What a draft changes in the request as it was planned; null if nothing.
 *
 * @param current the request that the draft was made from, with earlier changes in it
 */
export function editsIn(
  planned: PreparedRequest,
  current: PreparedRequest,
  draft: StepDraft,
): StepEdits | null {
  const { request, wrongValue } = draft;
  const assertion = draft.assertion ?? null;
  const drafted = request ?? current.shown;
  const made = withoutTypedSecrets(drafted, secretsOf(drafted, planned, current));
  const compared = parts.map((part) => editsOfPart(part, planned, made, assertion !== null));
  const changed = compared.flatMap((one) => one.changed);
  const added = compared.flatMap((one) => one.added);
  const method = made.shown.method === planned.shown.method ? null : made.shown.method;
  const url = made.shown.url === planned.shown.url ? null : made.shown.url;
  const isAny = [method, url, wrongValue, assertion].some((one) => one !== null);
  if (!isAny && changed.length === 0 && added.length === 0) return null;
  return { method, url, changed, added, wrongValue, assertion };
}

/** The secrets that a draft means: it names each by its fingerprint, as it was planned or as the user typed it before. */
function secretsOf(
  drafted: StepRequest,
  planned: PreparedRequest,
  current: PreparedRequest,
): PreparedRequest['secrets'] {
  const secrets = new Map(current.secrets);
  for (const part of parts) {
    for (const { name, value, fingerprint } of drafted[part]) {
      const own = planned.secrets.get(`${part}:${name}`);
      if (value === null && own !== undefined && fingerprintOf(own) === fingerprint)
        secrets.set(`${part}:${name}`, own);
    }
  }
  return secrets;
}

function editsOfPart(part: Part, planned: PreparedRequest, made: PreparedRequest, isSignedAgain: boolean) {
  const valueIn = ({ secrets }: PreparedRequest, { name, value }: AuthorizationParameter): string =>
    value ?? secrets.get(`${part}:${name}`) ?? '';
  const left = [...made.shown[part]];
  const places = new Map<string, number>();
  const changed = planned.shown[part].flatMap((own): ParameterEdit[] => {
    const { name } = own;
    const place = places.get(name) ?? 0;
    places.set(name, place + 1);
    const at = left.findIndex((one) => one.name === name);
    const [one] = at === -1 ? [] : left.splice(at, 1);
    // One that is no longer in the list is not sent.
    if (one === undefined) return own.isOn ? [{ part, name, place, isOn: false }] : [];
    const value = valueIn(made, one);
    const isSame = value === valueIn(planned, own) || (isSignedAgain && name === ASSERTION);
    if (isSame && one.isOn === own.isOn) return [];
    return [{ part, name, place, isOn: one.isOn, ...(!isSame && { value }) }];
  });
  const added = left.map((one) => ({ part, parameter: { ...one, value: valueIn(made, one) } }));
  return { changed, added };
}

/** The planned request with the changes made again. What was not changed is as it is planned now, such as a new `state`. */
export function withEdits(planned: PreparedRequest, edits: StepEdits): PreparedRequest {
  const { method, url, changed, added } = edits;
  const typed = new Map(planned.secrets);
  const edited = (part: Part): AuthorizationParameter[] => {
    const places = new Map<string, number>();
    const own = planned.shown[part].map((one) => {
      const place = places.get(one.name) ?? 0;
      places.set(one.name, place + 1);
      const edit = changed.find(
        (each) => each.part === part && each.name === one.name && each.place === place,
      );
      if (edit === undefined) return one;
      const { value, isOn } = edit;
      // Its note says why it was off.
      const switched = { ...one, isOn, ...(isOn && !one.isOn && { note: '' }) };
      if (value === undefined) return switched;
      if (one.value !== null) return { ...switched, value };
      typed.set(`${part}:${one.name}`, value);
      return switched;
    });
    return [...own, ...added.flatMap((one) => (one.part === part ? [one.parameter] : []))];
  };
  const shown: StepRequest = {
    ...planned.shown,
    ...(method !== null && { method }),
    ...(url !== null && { url }),
    query: edited('query'),
    headers: edited('headers'),
    body: edited('body'),
  };
  return withoutTypedSecrets(shown, typed);
}
