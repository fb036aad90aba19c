import { z } from 'zod';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import {
  type ServerTest,
  type ServerTests,
  testTokenKinds,
  type TestTokenKind,
} from '#shared/contract/server-tests.ts';
import { formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import type { CliOption } from './command.ts';
import { UsageError } from './exit.ts';
import type { HeadlessSession } from './headless-session.ts';
import { quoted } from './option-values.ts';
import { faultText, print, say, visibleText } from './output.ts';
import { readSecretVariable } from './named-values.ts';

/** The options of the tests of a server's authorization. */
export const serverTestOptions: readonly CliOption[] = [
  [
    '--test-server',
    'test what the server accepts: no token, broken ones, and those that the next options name; never a call of a tool',
  ],
  [
    '--test-sign-in',
    'authorize once more as another user, to test whether one can use the session of the other',
  ],
  ['--test-resource <url>', 'authorize once more for this resource, to test a token for another server'],
  ['--test-scope <scopes>', 'authorize once more for these scopes alone, to test a token with too few'],
  [
    '--test-token <kind:name[=source]>',
    `a token of yours for the tests: ${testTokenKinds.join(', ')}; its value as in --client-secret; may be repeated`,
    'repeatable',
  ],
  [
    '--test-foreign <id>',
    'send this server the saved token of another server at the same issuer: an ID of "auth list"',
  ],
];

export const serverTestOptionsSchema = z.object({
  testServer: z.boolean().default(false),
  testSignIn: z.boolean().default(false),
  testResource: z.string().min(1).optional(),
  testScope: z.string().min(1).optional(),
  testToken: z.array(z.string()).default([]),
  testForeign: z.string().optional(),
});

/** What the tests of a command send besides. */
export interface ServerTestChoices {
  readonly isWanted: boolean;
  /** The authorizations to run before, with what they ask for. */
  readonly authorizations: readonly (readonly [
    kind: Exclude<TestTokenKind, 'expired'>,
    value: string | null,
  ])[];
  readonly tokens: readonly (readonly [kind: TestTokenKind, token: string])[];
  readonly foreignCredentials: string | null;
}

/** Reads the options. @throws UsageError */
export function readServerTestChoices(options: z.infer<typeof serverTestOptionsSchema>): ServerTestChoices {
  const { testServer, testSignIn, testResource, testScope, testToken, testForeign } = options;
  const choices: ServerTestChoices = {
    isWanted: testServer,
    authorizations: [
      ...(testSignIn ? [['other-identity', null] as const] : []),
      ...(testResource === undefined ? [] : [['other-audience', testResource] as const]),
      ...(testScope === undefined ? [] : [['less-scope', testScope] as const]),
    ],
    tokens: testToken.map(readTestToken),
    foreignCredentials: testForeign ?? null,
  };
  const hasMore =
    choices.authorizations.length > 0 || choices.tokens.length > 0 || choices.foreignCredentials !== null;
  if (hasMore && !testServer) throw new UsageError('the --test-… options need --test-server');
  return choices;
}

function readTestToken(text: string): readonly [kind: TestTokenKind, token: string] {
  const [name = '', ...rest] = text.split(':');
  const kind = testTokenKinds.find((one) => one === name);
  if (kind === undefined || rest.length === 0)
    throw new UsageError(
      `--test-token wants KIND:NAME with a kind of ${testTokenKinds.join(', ')}; it is ${quoted(text)}`,
    );
  return [kind, readSecretVariable('--test-token', rest.join(':'))[1]];
}

/** Runs the tests of the server in a session that is ready. @throws FaultError */
export async function runServerTests(
  session: HeadlessSession,
  { authorizations, tokens, foreignCredentials }: ServerTestChoices,
  untilOver: (flow: AuthorizationFlow) => Promise<AuthorizationFlow>,
): Promise<ServerTests> {
  const { serverId } = await session.view();
  for (const [kind, value] of authorizations) {
    if (kind === 'other-identity')
      say('sign in as another user now: the tests use the session of the first one');
    const begun = await session.request('server-tests/authorize', {
      serverId,
      kind,
      value,
      revision: null,
      settings: {},
    });
    const { fault } = await untilOver(begun);
    // Without the token its test does not apply, and says so.
    if (fault !== null) say(faultText(fault));
  }
  for (const [kind, token] of tokens)
    await session.request('server-tests/use-token', { serverId, kind, token });
  const { url, requests } = await testsOf(session);
  say(`sending at most ${formatQuantity(requests, 'request')} to ${visibleText(url)}; none calls a tool`);
  await session.request('server-tests/run', { serverId, consent: true, foreignCredentials });
  const tests = await session.until(async () => {
    const now = await testsOf(session);
    return now.state === 'running' ? null : now;
  });
  if (tests.fault !== null) throw new FaultError(tests.fault);
  return tests;
}

async function testsOf(session: HeadlessSession): Promise<ServerTests> {
  const tests = await session.request('server-tests/get', {});
  if (tests !== null) return tests;
  throw new FaultError({
    code: 'authorization-not-possible',
    what: 'The session does not authorize, so there is nothing to test.',
    why: 'The command has an Authorization header, or the URL has a password.',
  });
}

/** Whether a server answered a test carelessly. */
export const isCareless = ({ tests }: ServerTests): boolean =>
  tests.some(({ outcome }) => outcome === 'careless');

/** Prints the table, a line for each test, with the rule below a careless answer. */
export async function printServerTests({ tests, control }: ServerTests): Promise<void> {
  const counts = (['careless', 'right', 'unclear', 'not-applicable'] as const)
    .map((outcome) => `${tests.filter((test) => test.outcome === outcome).length} ${outcome}`)
    .join(', ');
  await print(['', 'Server tests', visibleText(control), ...tests.map(testLines), counts].join('\n'));
}

function testLines({ id, outcome, status, words, why, row, finding }: ServerTest): string {
  const said = words === '' ? '' : ` "${words}"`;
  const what = finding === null ? `${why}${said}` : `${finding.text}${said}`;
  const line = `${(outcome ?? '').padEnd(14)}  ${id.padEnd(21)}  ${String(status ?? '').padEnd(3)}  ${visibleText(what)}`;
  if (finding === null) return line.trimEnd();
  const place = row === null ? '' : `, row ${rowNumber(row)}`;
  return `${line}\n${' '.repeat(16)}${finding.severity}: ${finding.rule} (${visibleText(finding.source)}${place})`;
}
