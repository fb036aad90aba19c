import {
  type AuthorizationSettings,
  type DroppableParameter,
  droppableParameters,
} from '#shared/contract/authorization.ts';

/**
 * What the user decided in a request of a flow, by parameter: the request in which it was switched off, such as `the authorization
 * request`; null for one that is sent although the settings leave it out.
 */
export type DroppedParameters = Readonly<Partial<Record<DroppableParameter, string | null>>>;

/** Parameters that are not sent, each with the reason, as its note says it. */
export type DropNotes = Readonly<Partial<Record<string, string>>>;

/** What is left out of a request: what the user switched off before in this attempt, and what the settings say. */
export function dropNotes(
  { dropped: always }: Pick<AuthorizationSettings, 'dropped'>,
  before: DroppedParameters,
): DropNotes {
  const notes: Partial<Record<string, string>> = {};
  for (const name of droppableParameters) {
    const where = before[name];
    if (typeof where === 'string') notes[name] = `off: switched off in ${where}`;
    else if (where === undefined && always.includes(name)) notes[name] = 'off: switched off in the settings';
  }
  return notes;
}

/** The parameters with those switched off that are left out. They stay in the list, to be switched on again. */
export const withDropped = <F extends { readonly name: string }>(
  fields: readonly F[],
  notes: DropNotes,
): (F & { readonly isOn?: boolean; readonly note?: string })[] =>
  fields.map((field) => {
    const note = notes[field.name];
    return note === undefined ? field : { ...field, isOn: false, note };
  });

/** What later requests leave out, once a request was sent. */
export function droppedAfter(
  before: DroppedParameters,
  {
    planned,
    sent,
    where,
    always,
    wrongName = null,
  }: {
    /** The names of the parameters that the request had, on or off. */
    readonly planned: readonly string[];
    /** The names of those that were sent. */
    readonly sent: readonly string[];
    /** Such as `the authorization request`. */
    readonly where: string;
    /** What the settings leave out. */
    readonly always: AuthorizationSettings['dropped'];
    /** The parameter that a wrong value took out, to test the server: it is not left out later. */
    readonly wrongName?: string | null;
  },
): DroppedParameters {
  const after: Partial<Record<DroppableParameter, string | null>> = { ...before };
  for (const name of droppableParameters) {
    if (name === wrongName) continue;
    if (sent.includes(name)) {
      if (always.includes(name)) after[name] = null;
      else delete after[name];
    } else if (planned.includes(name)) {
      const isBySettings = always.includes(name) && typeof before[name] !== 'string';
      if (isBySettings) delete after[name];
      else after[name] = before[name] ?? where;
    }
  }
  return after;
}
