import { z } from 'zod';
import type { NamedServer } from '#main/platform.ts';
import { authorizationSettingsSchema, defaultAuthorization } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { ServerTests } from '#shared/contract/server-tests.ts';
import { advised } from '#hosts/cli/authorization/advice.ts';
import {
  authorizationOptions,
  authorizationOptionsSchema,
  checkComplete,
  readAuthorization,
} from '#hosts/cli/authorization/options.ts';
import { printOutcome, printSummary } from '#hosts/cli/authorization/outcome.ts';
import {
  authorizeAsWanted,
  FlowRun,
  type FlowSettings,
  reportScopes,
  verifySignatures,
} from '#hosts/cli/authorization/run-flows.ts';
import {
  forgetCredentials,
  listCredentials,
  savedFor,
  serverOfCredentials,
} from '#hosts/cli/authorization/saved-credentials.ts';
import { scopesToAsk, type Wanted, whatIsMissing } from '#hosts/cli/authorization/wanted.ts';
import { savedCredentials } from '#hosts/cli/cli-platform.ts';
import { checkCors, corsLines, corsOption, corsOptionSchema } from '#hosts/cli/flow-cors.ts';
import { flowFileOptions, flowFiles, flowFileSchema, withFlowFiles } from '#hosts/cli/flow-files.ts';
import {
  isCareless,
  printServerTests,
  readServerTestChoices,
  type ServerTestChoices,
  serverTestOptions,
  serverTestOptionsSchema,
  runServerTests,
} from '#hosts/cli/server-tests.ts';
import { type CliCommand, type CliOption, type Invocation, parseOptions } from '#hosts/cli/command.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { faultText, print, printJson, say } from '#hosts/cli/output.ts';
import { openInSystemBrowser } from '#hosts/cli/system-browser.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import type { LineQuestions } from '#hosts/cli/terminal-questions.ts';
import { sessionOptions, withSession } from '#hosts/cli/with-session.ts';

const optionsSchema = authorizationOptionsSchema.extend({
  ...serverTestOptionsSchema.shape,
  ...flowFileSchema.shape,
  ...corsOptionSchema.shape,
  step: z.boolean().default(false),
  json: z.boolean().default(false),
  browser: z.boolean().default(true),
  callback: z
    .string()
    .refine((text) => text === '-', { error: ({ input }) => `wants "-"; it is ${quoted(String(input))}` })
    .optional(),
  storedOnly: z.boolean().default(false),
  save: z.boolean().default(false),
  again: z.boolean().default(false),
});
type Options = z.infer<typeof optionsSchema>;

const timeoutOption: CliOption = [
  '--timeout <time>',
  'how long to wait for the browser, 10m without it, and for each answer of the server, such as 30s, 5m',
];

/** Authorizes at a server, and manages the credentials that were saved. */
export const authCommand: CliCommand = {
  usage: 'auth [what] [id]',
  summary: 'authorize at a server (OAuth), or list, revoke and forget saved credentials',
  options: [
    ['--step', 'stop before each request: show it, and ask what to do'],
    ['--no-browser', 'print the URL for the browser, and open nothing'],
    [
      '--callback <from>',
      'with "-", read the address that the browser was sent to from standard input; on a terminal it can be pasted anyway',
    ],
    ['--save', 'keep the credentials for later commands, in a file that only you can read'],
    ['--stored-only', 'use saved credentials, or fail'],
    ['--again', 'authorize even if nothing is demanded, or the saved credentials are accepted'],
    ...authorizationOptions,
    corsOption,
    ...flowFileOptions,
    ...serverTestOptions,
    [
      '--json',
      'print one JSON object: "ok", "flows" with their steps, "traps" of known providers, "credentials", "fault", the "trace" file, "serverTests" if they ran, and "cors" if it was checked',
    ],
    ...sessionOptions
      .filter(([flags]) => !flags.startsWith('--log-level'))
      .map((option) => (option[0] === timeoutOption[0] ? timeoutOption : option)),
  ],
  notes: `Connects, and runs the authorization flow that the server demands: its steps are printed, with what is wrong in the
responses. Saved credentials are used if they are what the options ask for: if they lack a scope of --scope, the scopes of both are asked
for. The options say how to authorize in this run; what they leave out is as in the settings of the saved server that --server names.
"auth list" lists the saved credentials. "auth revoke ID" revokes their tokens at the authorization server, "auth forget ID" only
removes them here. Other commands use what was saved.
While the browser is waited for on a terminal, the address that it was sent to can be pasted, or its query: code=…&state=….
${targetNotes}

Examples: sightglass auth --url https://example.com/mcp --save
          sightglass auth --url https://example.com/mcp --save --scope "files:read files:write"
          sightglass auth --step --revision 2025-06-18 --url http://127.0.0.1:3000/mcp
          sightglass auth list
          sightglass auth revoke ID --json`,
  ends: {
    0: 'authorized, or the server demands nothing',
    1: 'a token is not revoked, or the server answered one of its tests carelessly',
    3: 'not authorized, no connection, or something is missing',
  },
  async run(invocation) {
    const options = parseOptions(optionsSchema, invocation.options);
    const [what, id] = invocation.args;
    switch (what) {
      case undefined:
        return authorize(invocation, options);
      case 'list':
        return listCredentials(options.json);
      case 'forget':
        return forgetCredentials(idOf('forget', id));
      case 'revoke':
        return revoke(idOf('revoke', id), options);
      default:
        throw new UsageError(`auth has "list", "revoke" and "forget"; it is ${quoted(String(what))}`);
    }
  },
};

/** @throws UsageError */
function idOf(what: string, id: unknown): string {
  if (typeof id === 'string') return id;
  throw new UsageError(`"auth ${what}" wants the id of credentials; "auth list" prints them`);
}

async function authorize(invocation: Invocation, options: Options): Promise<ExitCode> {
  const { step, json, browser, save, storedOnly, again } = options;
  const named = readTarget(invocation);
  if (step && json) throw new UsageError('--step asks on the terminal, and --json prints for programs');
  if (step && !process.stdin.isTTY) throw new UsageError('--step asks on the terminal, and there is none');
  if (storedOnly && again) throw new UsageError('--stored-only uses saved credentials, and --again does not');
  const given = readAuthorization(options, named.kind === 'http' ? named.url : null);
  if (named.kind === 'http') checkComplete(given);
  if (named.kind === 'stdio')
    throw new UsageError('auth is for servers behind a URL: name one with --url or --server');
  const wanted: Wanted = { given, saved: await savedFor(named), again: again || step };
  const target = withAuthorization(named, wanted, step);
  const fault = storedOnly ? whyNotStored(named, wanted) : null;
  if (fault !== null) {
    say(faultText(fault));
    if (json) await printJson(JSON.stringify({ ok: false, flows: [], credentials: [], fault }));
    return exitCodes.unavailable;
  }
  const openInBrowser = async (url: string) => {
    say(`open this URL in a browser to authorize:\n${url}`);
    if (browser) openInSystemBrowser(url);
  };
  const platform = {
    ...(save && { credentials: savedCredentials() }),
    ...(!storedOnly && { openInBrowser }),
  };
  if (save && given.dpop === true) say(keyIsNotSaved);
  const tests = readServerTestChoices(options);
  const files = flowFiles(options);
  return withSession({ target, json, platform, answersFlows: !step }, (session, _engine, openTerminal) =>
    withFlowFiles(session, files, () => runFlow(session, target, { wanted, options, tests, openTerminal })),
  );
}

const keyIsNotSaved =
  'the key of --dpop is not saved, so later commands cannot use the tokens that are bound to it';

interface FlowOptions {
  readonly wanted: Wanted;
  readonly options: Options;
  readonly tests: ServerTestChoices;
  readonly openTerminal: () => LineQuestions;
}

async function runFlow(
  session: HeadlessSession,
  target: NamedServer,
  { wanted, options, tests: choices, openTerminal }: FlowOptions,
): Promise<ExitCode> {
  const { step, json, callback } = options;
  const isTerminal = process.stdin.isTTY && !process.env.CI;
  const settings: FlowSettings = {
    isStepped: step,
    printsSteps: !json,
    openPasted: step || callback !== undefined || isTerminal ? openTerminal : null,
  };
  const run = new FlowRun(session, settings);
  let tests: ServerTests | null = null;
  let fault: Fault | null = null;
  let cors: Awaited<ReturnType<typeof checkCors>> = null;
  try {
    await run.start();
    await session.ready();
    await authorizeAsWanted(session, run, { ...wanted, isStepped: step, revision: target.revision ?? null });
    await verifySignatures(session, run, target);
    await reportScopes(session, target, wanted);
    if (choices.isWanted) tests = await runServerTests(session, choices, (flow) => run.untilOver(flow));
  } catch (error) {
    if (!json || !(error instanceof FaultError)) throw error;
    fault = await advised(session, (await session.view()).fault ?? error.fault);
  } finally {
    cors = await checkCors(session, options);
    await run.close();
    if (!json && cors !== null) await print(corsLines(cors));
  }
  const exitCode = await (json
    ? printOutcome(session, fault, { serverTests: tests, cors })
    : printSummary(session));
  if (tests !== null && !json) await printServerTests(tests);
  return tests !== null && isCareless(tests) ? exitCodes.findings : exitCode;
}

/** The server with how to authorize in this run. */
function withAuthorization(
  named: Exclude<NamedServer, { kind: 'stdio' }>,
  wanted: Wanted,
  step: boolean,
): NamedServer {
  const scopes = scopesToAsk(wanted);
  const given = {
    ...wanted.given,
    mode: step ? ('stepped' as const) : ('automatic' as const),
    ...(scopes !== null && { scopes }),
  };
  const limit = named.timeout === undefined ? {} : { browserLimit: named.timeout };
  return named.kind === 'saved'
    ? { ...named, ...limit, authorization: given }
    : {
        ...named,
        ...limit,
        authorization: authorizationSettingsSchema.parse({ ...defaultAuthorization, ...given }),
      };
}

/** Why saved credentials cannot be used; null if they can. Whether a saved server has any is seen when connecting. */
function whyNotStored({ kind }: NamedServer, wanted: Wanted): Fault | null {
  if (wanted.saved === null) return kind === 'http' ? nothingStored : null;
  const missing = whatIsMissing(wanted);
  if (missing === null) return null;
  return { ...nothingStored, what: `The saved credentials ${missing}.` };
}

const nothingStored = {
  code: 'authorization-not-stored',
  what: 'No credentials are saved for this server.',
  next: 'Run "sightglass auth --save" with the same server and options, without --stored-only.',
};

/** Revokes the tokens of saved credentials. Nothing is sent to the MCP server, which may not even run any more. */
async function revoke(id: string, { json }: Options): Promise<ExitCode> {
  const target = await serverOfCredentials(id);
  return withSession({ target, json, platform: { credentials: savedCredentials() } }, async (session) => {
    await session.until(async () => ((await session.view()).phase === 'connecting' ? null : true));
    const run = new FlowRun(session, { isStepped: false, printsSteps: !json, openPasted: null });
    await run.start();
    const begun = await session.request('authorization/revoke', { credentialsId: id });
    const { state, fault } = await run.untilOver(begun);
    await run.close();
    if (json) await printOutcome(session, fault);
    else if (fault !== null) say(faultText(fault));
    return state === 'done' ? exitCodes.fine : exitCodes.findings;
  });
}
