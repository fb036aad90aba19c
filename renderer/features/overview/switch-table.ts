import type { Server } from '#shared/contract/servers.ts';
import type { SessionView, Switches } from '#shared/contract/sessions.ts';

/** What is known of how a server is reached. */
export interface Reach {
  readonly transport: SessionView['transport'];
  /** Null while it is not known. */
  readonly era: 'legacy' | 'modern' | null;
}

/** As the session found out; before that, as the settings leave no choice. */
export function reachOf(server: Server, session: SessionView | null): Reach {
  const { transport, era } = server;
  const settled = {
    era: era === 'auto' ? null : era,
    transport:
      transport.kind === 'stdio' ? 'stdio' : transport.transport === 'auto' ? 'http' : transport.transport,
  } as const;
  if (session === null) return settled;
  const { agreement } = session;
  return {
    transport: session.transport === 'http' ? settled.transport : session.transport,
    era: agreement?.era ?? settled.era,
  };
}

interface Choice {
  readonly id: string;
  readonly label: string;
}

/** One way to be a bad client on purpose, as the screen offers it. */
export interface SwitchFacts {
  readonly name: keyof Switches;
  readonly label: string;
  /** What it does, in one line. */
  readonly does: string;
  /** The revisions and transports it is about. */
  readonly concerns: string;
  readonly takesEffect: 'at once' | 'at the next connect';
  /** The first is how a good client does it. */
  readonly choices: readonly [Choice, ...Choice[]];
  readonly choiceOf: (switches: Switches) => string;
  readonly choose: (switches: Switches, choice: string) => Switches;
  /** Why it changes nothing here; null when it does. */
  readonly idle: (reach: Reach) => string | null;
}

const noHeaders = ({ transport }: Reach) => (transport === 'stdio' ? 'stdio has no headers' : null);
const notLegacy = ({ era }: Reach, what: string) =>
  era === 'modern' ? `the modern era has no ${what}` : null;
const notModern = ({ era }: Reach, what: string) =>
  era === 'legacy' ? `the legacy era has no ${what}` : null;
const notStreamable = ({ transport }: Reach, what: string) =>
  transport === 'stdio' || transport === 'http-sse'
    ? `${transport === 'stdio' ? 'stdio' : 'HTTP+SSE'} has no ${what}`
    : null;

type BooleanSwitch = { [K in keyof Switches]: Switches[K] extends boolean ? K : never }[keyof Switches];

/** A switch that is off or on, and what each is called. */
const offOrOn = (name: BooleanSwitch, off: string, on: string) => ({
  name,
  choices: [
    { id: 'off', label: off },
    { id: 'on', label: on },
  ] as const,
  choiceOf: (switches: Switches) => (switches[name] ? 'on' : 'off'),
  choose: (switches: Switches, choice: string): Switches => ({ ...switches, [name]: choice === 'on' }),
});

/** What the choices with a value of their own begin with. */
const firstDelay = 5000;
const firstVersion = '1999-01-01';

/** Every client switch, in the order of their protocol steps. */
export const switchTable: readonly SwitchFacts[] = [
  {
    name: 'initialized',
    label: 'notifications/initialized',
    does: 'Sends it late or never after initialize.',
    concerns: 'legacy era',
    takesEffect: 'at the next connect',
    choices: [
      { id: 'send', label: 'send' },
      { id: 'delay', label: 'delay' },
      { id: 'withhold', label: 'withhold' },
    ],
    choiceOf: ({ initialized }) => initialized.how,
    choose: (switches, how) => ({
      ...switches,
      initialized:
        how === 'delay' ? { how, milliseconds: firstDelay } : how === 'withhold' ? { how } : { how: 'send' },
    }),
    idle: (reach) => notLegacy(reach, 'handshake'),
  },
  {
    ...offOrOn('omitSessionId', 'send', 'omit'),
    label: 'Mcp-Session-Id',
    does: 'Leaves the session id out of every request.',
    concerns: 'Streamable HTTP, legacy era',
    takesEffect: 'at once',
    idle: (reach) => notStreamable(reach, 'session ids') ?? notLegacy(reach, 'session ids'),
  },
  {
    name: 'versionHeader',
    label: 'MCP-Protocol-Version',
    does: 'Leaves the revision out of the headers, or names another one.',
    concerns: 'HTTP, since 2025-06-18',
    takesEffect: 'at once',
    choices: [
      { id: 'send', label: 'send' },
      { id: 'omit', label: 'omit' },
      { id: 'replace', label: 'replace' },
    ],
    choiceOf: ({ versionHeader }) => versionHeader.how,
    choose: (switches, how) => ({
      ...switches,
      versionHeader:
        how === 'replace' ? { how, value: firstVersion } : how === 'omit' ? { how } : { how: 'send' },
    }),
    idle: noHeaders,
  },
  {
    name: 'standardHeaders',
    label: 'Mcp-Method, Mcp-Name',
    does: 'Leaves them and Mcp-Param-* out, or puts them at odds with the body.',
    concerns: 'Streamable HTTP, modern era',
    takesEffect: 'at once',
    choices: [
      { id: 'send', label: 'send' },
      { id: 'omit', label: 'omit' },
      { id: 'disagree', label: 'disagree' },
    ],
    choiceOf: ({ standardHeaders }) => standardHeaders,
    choose: (switches, choice) => ({
      ...switches,
      standardHeaders: choice === 'omit' || choice === 'disagree' ? choice : 'send',
    }),
    idle: (reach) => noHeaders(reach) ?? notModern(reach, 'such headers'),
  },
  {
    name: 'meta',
    label: '_meta of each request',
    does: 'Leaves it out, or puts members of yours over it.',
    concerns: 'modern era',
    takesEffect: 'at once',
    choices: [
      { id: 'send', label: 'send' },
      { id: 'omit', label: 'omit' },
      { id: 'change', label: 'change' },
    ],
    choiceOf: ({ meta }) => meta.how,
    choose: (switches, how) => ({
      ...switches,
      meta: how === 'change' ? { how, members: {} } : how === 'omit' ? { how } : { how: 'send' },
    }),
    idle: (reach) => notModern(reach, '_meta that a request must have'),
  },
  {
    ...offOrOn('noProgressToken', 'send', 'none'),
    label: 'Progress token',
    does: 'Does not ask to be told of progress.',
    concerns: 'every revision and transport',
    takesEffect: 'at once',
    idle: () => null,
  },
  {
    ...offOrOn('noStandingStream', 'open', 'none'),
    label: 'Standing stream',
    does: 'Has no GET stream, so the server cannot speak unasked.',
    concerns: 'Streamable HTTP, legacy era',
    takesEffect: 'at once',
    idle: (reach) => notStreamable(reach, 'such stream') ?? notLegacy(reach, 'such stream'),
  },
  {
    ...offOrOn('keepExpired', 'renew', 'keep'),
    label: 'Expired session',
    does: 'Goes on with the old session id when the server answers 404.',
    concerns: 'Streamable HTTP, legacy era',
    takesEffect: 'at once',
    idle: (reach) => notStreamable(reach, 'session ids') ?? notLegacy(reach, 'session ids'),
  },
];

/** Whether a switch makes us a bad client. */
export const isTurnedOn = ({ choices, choiceOf }: SwitchFacts, switches: Switches): boolean =>
  choiceOf(switches) !== choices[0].id;

/** Those that are on. */
export const turnedOn = (switches: Switches): readonly SwitchFacts[] =>
  switchTable.filter((facts) => isTurnedOn(facts, switches));
