import type { SessionView } from '../contract/sessions.ts';
import type { Switches } from './switches.ts';

/** The transport and era of a server, as far as they are known. */
export interface SwitchTarget {
  readonly transport: SessionView['transport'];
  /** Null while unknown. */
  readonly era: 'legacy' | 'modern' | null;
}

interface Choice {
  readonly id: string;
  readonly label: string;
}

/** One client switch. */
export interface SwitchFacts {
  readonly name: keyof Switches;
  readonly label: string;
  /** What it does, in one line. */
  readonly does: string;
  /** The revisions and transports it applies to. */
  readonly concerns: string;
  readonly takesEffect: 'at once' | 'at the next connect';
  /** The first is the correct behavior. */
  readonly choices: readonly [Choice, ...Choice[]];
  readonly choiceOf: (switches: Switches) => string;
  readonly choose: (switches: Switches, choice: string) => Switches;
  /** What the trace and the session say while it is active. */
  readonly activeLabel: (switches: Switches) => string;
  /** Why it has no effect there; null if it has one. */
  readonly whyNoEffect: (target: SwitchTarget) => string | null;
}

const noHeaders = ({ transport }: SwitchTarget) => (transport === 'stdio' ? 'stdio has no headers' : null);
const notLegacy = ({ era }: SwitchTarget, what: string) =>
  era === 'modern' ? `the modern era has no ${what}` : null;
const notModern = ({ era }: SwitchTarget, what: string) =>
  era === 'legacy' ? `the legacy era has no ${what}` : null;
const notStreamable = ({ transport }: SwitchTarget, what: string) =>
  transport === 'stdio' || transport === 'http-sse'
    ? `${transport === 'stdio' ? 'stdio' : 'HTTP+SSE'} has no ${what}`
    : null;

type BooleanSwitch = { [K in keyof Switches]: Switches[K] extends boolean ? K : never }[keyof Switches];

/** A switch with two settings. */
const offOrOn = (name: BooleanSwitch, off: string, on: string) => ({
  name,
  choices: [
    { id: 'off', label: off },
    { id: 'on', label: on },
  ] as const,
  choiceOf: (switches: Switches) => (switches[name] ? 'on' : 'off'),
  choose: (switches: Switches, choice: string): Switches => ({ ...switches, [name]: choice === 'on' }),
});

/** Initial values of switches with a value. */
const initialDelay = 5000;
const initialVersion = '1999-01-01';

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
        how === 'delay'
          ? { how, milliseconds: initialDelay }
          : how === 'withhold'
            ? { how }
            : { how: 'send' },
    }),
    activeLabel: ({ initialized }) =>
      initialized.how === 'delay'
        ? `notifications/initialized delayed by ${initialized.milliseconds} ms`
        : 'notifications/initialized withheld',
    whyNoEffect: (target) => notLegacy(target, 'handshake'),
  },
  {
    ...offOrOn('omitSessionId', 'send', 'omit'),
    label: 'Mcp-Session-Id',
    does: 'Omits the session id from every request.',
    concerns: 'Streamable HTTP, legacy era',
    takesEffect: 'at once',
    activeLabel: () => 'Mcp-Session-Id left out',
    whyNoEffect: (target) => notStreamable(target, 'session ids') ?? notLegacy(target, 'session ids'),
  },
  {
    name: 'versionHeader',
    label: 'MCP-Protocol-Version',
    does: 'Omits the revision from the headers, or sends another one.',
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
        how === 'replace' ? { how, value: initialVersion } : how === 'omit' ? { how } : { how: 'send' },
    }),
    activeLabel: ({ versionHeader }) =>
      versionHeader.how === 'replace'
        ? `MCP-Protocol-Version: ${versionHeader.value}`
        : 'MCP-Protocol-Version left out',
    whyNoEffect: noHeaders,
  },
  {
    name: 'standardHeaders',
    label: 'Mcp-Method, Mcp-Name',
    does: 'Omits them and Mcp-Param-*, or makes them contradict the body.',
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
    activeLabel: ({ standardHeaders }) =>
      `Mcp-Method, Mcp-Name and Mcp-Param-* ${standardHeaders === 'omit' ? 'left out' : 'at odds with the body'}`,
    whyNoEffect: (target) => noHeaders(target) ?? notModern(target, 'such headers'),
  },
  {
    name: 'meta',
    label: '_meta of each request',
    does: 'Omits it, or overrides some of its members.',
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
    activeLabel: ({ meta }) =>
      meta.how === 'change'
        ? `_meta of requests changed: ${Object.keys(meta.members).join(', ')}`
        : '_meta of requests left out',
    whyNoEffect: (target) => notModern(target, 'required _meta'),
  },
  {
    ...offOrOn('noProgressToken', 'send', 'none'),
    label: 'Progress token',
    does: 'Does not request progress notifications.',
    concerns: 'every revision and transport',
    takesEffect: 'at once',
    activeLabel: () => 'no progress token',
    whyNoEffect: () => null,
  },
  {
    ...offOrOn('noStandingStream', 'open', 'none'),
    label: 'Standing stream',
    does: 'Opens no GET stream, so the server cannot send messages on its own.',
    concerns: 'Streamable HTTP, legacy era',
    takesEffect: 'at once',
    activeLabel: () => 'no GET stream',
    whyNoEffect: (target) => notStreamable(target, 'such stream') ?? notLegacy(target, 'such stream'),
  },
  {
    ...offOrOn('keepExpired', 'renew', 'keep'),
    label: 'Expired session',
    does: 'Keeps using the old session id when the server responds with 404.',
    concerns: 'Streamable HTTP, legacy era',
    takesEffect: 'at once',
    activeLabel: () => 'an expired session is kept',
    whyNoEffect: (target) => notStreamable(target, 'session ids') ?? notLegacy(target, 'session ids'),
  },
];

/** Whether a switch is on. */
export const isActive = ({ choices, choiceOf }: SwitchFacts, switches: Switches): boolean =>
  choiceOf(switches) !== choices[0].id;

export const activeSwitches = (switches: Switches): readonly SwitchFacts[] =>
  switchTable.filter((facts) => isActive(facts, switches));

/** The active switches, as the trace records them and the session shows them. */
export const activeLabels = (switches: Switches): string[] =>
  activeSwitches(switches).map(({ activeLabel }) => activeLabel(switches));
