import { z } from 'zod';
import { createEngine } from '#main/engine.ts';
import type { NamedServer } from '#main/platform.ts';
import {
  type AuthorizationFlow,
  type AuthorizationSettings,
  type AuthorizationStep,
  defaultAuthorization,
  grantKinds,
  type StepRequest,
  type StoredCredentials,
} from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import { cliPlatform, credentialsFile, savedCredentials } from '#hosts/cli/cli-platform.ts';
import { checkCors, corsLines, corsOption, corsOptionSchema } from '#hosts/cli/flow-cors.ts';
import { flowFileOptions, flowFiles, flowFileSchema, withFlowFiles } from '#hosts/cli/flow-files.ts';
import { askAboutFlow } from '#hosts/cli/flow-questions.ts';
import { type CliCommand, type Invocation, parseOptions } from '#hosts/cli/command.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { type HeadlessSession, request } from '#hosts/cli/headless-session.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { faultText, print, printJson, say, visibleText } from '#hosts/cli/output.ts';
import { openInSystemBrowser } from '#hosts/cli/system-browser.ts';
import { readSecretVariable, readTarget, targetNotes } from '#hosts/cli/target.ts';
import { createLineQuestions, type LineQuestions } from '#hosts/cli/terminal-questions.ts';
import { sessionOptions, withSession } from '#hosts/cli/with-session.ts';

const optionsSchema = z.object({
  step: z.boolean().default(false),
  json: z.boolean().default(false),
  browser: z.boolean().default(true),
  storedOnly: z.boolean().default(false),
  save: z.boolean().default(false),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
  scope: z.string().optional(),
  grant: z.enum(grantKinds).optional(),
  identityProvider: z.string().optional(),
  identityClientId: z.string().optional(),
  identityToken: z.string().optional(),
  testIdentityProvider: z.string().optional(),
  ...flowFileSchema.shape,
  ...corsOptionSchema.shape,
});
type Options = z.infer<typeof optionsSchema>;

/** Authorizes at a server, and manages the credentials that were saved. */
export const authCommand: CliCommand = {
  usage: 'auth [what] [id]',
  summary: 'authorize at a server (OAuth), or list, revoke and forget saved credentials',
  options: [
    ['--step', 'stop before each request: show it, and ask what to do'],
    ['--no-browser', 'print the URL for the browser, and open nothing'],
    ['--save', 'keep the credentials for later commands, in a file that only you can read'],
    ['--stored-only', 'use saved credentials, or fail'],
    ['--client-id <id>', 'the client that is registered at the authorization server'],
    [
      '--client-secret <name[=source]>',
      'its secret: the variable of that name here, or NAME=@FILE, NAME=$VARIABLE',
    ],
    ['--scope <scopes>', 'ask for these scopes, separated by spaces, instead of those that the server names'],
    ['--grant <grant>', `how to get a token: ${grantKinds.join(', ')}`],
    ['--identity-provider <issuer>', 'the identity provider of the enterprise grant; you sign in there'],
    ['--identity-client-id <id>', 'the client that is registered there'],
    [
      '--identity-token <name[=source]>',
      'an ID token of it, or the token of the workload: as --client-secret; then nobody signs in',
    ],
    [
      '--test-identity-provider <user>',
      'run a test identity provider during the flow, for a user or workload of this name',
    ],
    corsOption,
    ...flowFileOptions,
    [
      '--json',
      'print one JSON object: "ok", "flows" with their steps, "credentials", "fault", the "trace" file, and "cors"',
    ],
    ...sessionOptions.filter(([flags]) => !flags.startsWith('--log-level')),
  ],
  notes: `Connects, and runs the authorization flow that the server demands: its steps are printed, with what is wrong in the
responses. "auth list" lists the saved credentials. "auth revoke ID" revokes their tokens at the authorization server, "auth forget ID" only
removes them here. Other commands use what was saved.
${targetNotes}

Examples: sightglass auth --url https://example.com/mcp --save
          sightglass auth --step --revision 2025-06-18 --url http://127.0.0.1:3000/mcp
          sightglass auth list
          sightglass auth revoke ID --json`,
  ends: {
    0: 'authorized, or the server demands nothing',
    1: 'the flow fails, or a token is not revoked',
    3: 'no connection, or something is missing',
  },
  async run(invocation) {
    const options = parseOptions(optionsSchema, invocation.options);
    const [what, id] = invocation.args;
    switch (what) {
      case undefined:
        return authorize(invocation, options);
      case 'list':
        return list(options);
      case 'forget':
        return forget(typeof id === 'string' ? id : null);
      case 'revoke':
        return revoke(typeof id === 'string' ? id : null, options);
      default:
        throw new UsageError(`auth has "list", "revoke" and "forget"; it is ${quoted(String(what))}`);
    }
  },
};

async function authorize(invocation: Invocation, options: Options): Promise<ExitCode> {
  const { step, json, browser, save, storedOnly } = options;
  const target = withAuthorization(readTarget(invocation), options);
  if (step && json) throw new UsageError('--step asks on the terminal, and --json prints for programs');
  if (step && !process.stdin.isTTY) throw new UsageError('--step asks on the terminal, and there is none');
  if (storedOnly && !(await isStored(target))) {
    say(faultText(nothingStored));
    if (json)
      await printJson(JSON.stringify({ ok: false, flows: [], credentials: [], fault: nothingStored }));
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
  const files = flowFiles(options);
  return withSession({ target, json, platform, answersFlows: !step }, (session) =>
    withFlowFiles(session, files, () => runFlow(session, target, options)),
  );
}

async function runFlow(
  session: HeadlessSession,
  target: NamedServer,
  { step, json, ...options }: Options,
): Promise<ExitCode> {
  const watcher = new FlowWatcher(session, step);
  let fault: FaultError | null = null;
  let cors: Cors = null;
  try {
    if (!json) watcher.start();
    await session.ready();
    await verifySignatures(session, target);
  } catch (error) {
    if (!json || !(error instanceof FaultError)) throw error;
    fault = error;
  } finally {
    cors = await checkCors(session, options);
    await watcher.close();
    if (!json && cors !== null) await print(corsLines(cors));
  }
  return json ? printOutcome(session, fault, cors) : printSummary(session);
}

/** @throws UsageError */
function withAuthorization(target: NamedServer, options: Options): NamedServer {
  const { step, clientId, clientSecret, scope, grant, identityProvider, identityClientId } = options;
  const { identityToken, testIdentityProvider: user } = options;
  if ((identityProvider === undefined) !== (identityClientId === undefined))
    throw new UsageError('--identity-provider and --identity-client-id belong together');
  const provider =
    identityProvider === undefined ? null : { issuer: identityProvider, clientId: identityClientId ?? '' };
  const settings: AuthorizationSettings = {
    ...defaultAuthorization,
    mode: step ? 'stepped' : 'automatic',
    ...(clientId !== undefined && { clientId, registration: 'pre-registered' }),
    ...(clientSecret !== undefined && {
      clientSecret: { isSet: true, value: readSecretVariable('--client-secret', clientSecret)[1] },
    }),
    ...(scope !== undefined && { scopes: scope }),
    ...(grant !== undefined && { grant }),
    ...(provider !== null && { identityProvider: provider }),
    ...(identityToken !== undefined && {
      identityToken: { isSet: true, value: readSecretVariable('--identity-token', identityToken)[1] },
    }),
    ...(user !== undefined && { testIdentityProvider: { user, port: null } }),
  };
  if (target.kind === 'http') return { ...target, authorization: settings };
  if (target.kind === 'stdio')
    throw new UsageError('auth is for servers behind a URL: name one with --url or --server');
  const given = [clientId, clientSecret, scope, grant, provider ?? undefined, identityToken, user].some(
    (one) => one !== undefined,
  );
  if (given || step)
    throw new UsageError('how to authorize at a saved server is in its settings, in the window');
  return target;
}

/** Verifies the tokens of the session with the keys of their issuer, unless that was done before. */
async function verifySignatures(session: HeadlessSession, target: NamedServer): Promise<void> {
  const serverId = target.kind === 'http' ? target.url : (await session.view()).serverId;
  for (const { id, generations } of await session.request('authorization/credentials', { serverId })) {
    const token = generations.at(-1);
    const signatures = [
      ...(token === undefined || token.claims === null ? [] : [token.signature]),
      ...(token?.idToken?.claims == null ? [] : [token.idToken.signature]),
    ];
    if (token?.state !== 'in-use' || signatures.every(({ state }) => state !== 'unverified')) continue;
    await untilOver(session, await session.request('authorization/verify', { credentialsId: id }));
  }
}

/** Waits for the end of a flow. */
const untilOver = (session: HeadlessSession, { id }: AuthorizationFlow): Promise<AuthorizationFlow> =>
  session.until(async () => {
    const flow = (await session.request('authorization/flows', {})).find((one) => one.id === id);
    const isOver = flow?.state === 'done' || flow?.state === 'failed' || flow?.state === 'cancelled';
    return isOver ? flow : null;
  });

/** Whether credentials are saved for the URL of a server. Those of saved servers are found when connecting. */
async function isStored(target: NamedServer): Promise<boolean> {
  if (target.kind !== 'http') return true;
  return (await saved()).some(({ serverId }) => serverId === target.url);
}

const nothingStored = {
  code: 'authorization-not-stored',
  what: 'No credentials are saved for this server.',
  next: 'Run "sightglass auth --save" with the same server, without --stored-only.',
};

/** The saved credentials. */
async function saved(): Promise<StoredCredentials[]> {
  const engine = await createEngine(cliPlatform());
  try {
    return await request(engine, 'authorization/credentials', { serverId: null });
  } finally {
    await engine.close();
  }
}

async function list({ json }: Options): Promise<ExitCode> {
  const credentials = await saved();
  if (json) await printJson(JSON.stringify(credentials.map(withoutSecrets), null, 2));
  else if (credentials.length === 0) await print('No credentials are saved.');
  else await print(credentials.map(credentialsLines).join('\n'));
  return exitCodes.fine;
}

async function forget(id: string | null): Promise<ExitCode> {
  if (id === null) throw new UsageError('"auth forget" wants the id of credentials; "auth list" prints them');
  const engine = await createEngine(cliPlatform());
  try {
    const all = await request(engine, 'authorization/credentials', { serverId: null });
    if (!all.some((one) => one.id === id)) throw new UsageError(`no credentials have the id ${quoted(id)}`);
    await request(engine, 'authorization/forget', { credentialsId: id });
  } finally {
    await engine.close();
  }
  await print(`Forgotten. The file is ${credentialsFile()}`);
  return exitCodes.fine;
}

/** Revokes the tokens of saved credentials. Nothing is sent to the MCP server, which may not even run any more. */
async function revoke(id: string | null, { json }: Options): Promise<ExitCode> {
  if (id === null) throw new UsageError('"auth revoke" wants the id of credentials; "auth list" prints them');
  const target = await targetOf(id);
  return withSession({ target, json, platform: { credentials: savedCredentials() } }, async (session) => {
    await session.until(async () => ((await session.view()).phase === 'connecting' ? null : true));
    const watcher = new FlowWatcher(session, false);
    if (!json) watcher.start();
    const begun = await session.request('authorization/revoke', { credentialsId: id });
    const { state, fault } = await untilOver(session, begun);
    await watcher.close();
    if (json) await printOutcome(session, fault === null ? null : new FaultError(fault));
    else if (fault !== null) say(faultText(fault));
    return state === 'done' ? exitCodes.fine : exitCodes.findings;
  });
}

/** The server of saved credentials: one that is saved too, or was named by its URL. @throws UsageError */
async function targetOf(credentialsId: string): Promise<NamedServer> {
  const engine = await createEngine(cliPlatform());
  try {
    const all = await request(engine, 'authorization/credentials', { serverId: null });
    const found = all.find((one) => one.id === credentialsId);
    if (found === undefined) throw new UsageError(`no credentials have the id ${quoted(credentialsId)}`);
    const servers = await request(engine, 'servers/list', {});
    const name = servers.find((one) => one.id === found.serverId)?.name;
    if (name !== undefined) return { kind: 'saved', name, onlyAuthorizes: true };
    if (URL.canParse(found.serverId)) return { kind: 'http', url: found.serverId, onlyAuthorizes: true };
    throw new UsageError('the server of these credentials is no longer saved; "auth forget" removes them');
  } finally {
    await engine.close();
  }
}

/** Credentials whose server is named by its URL, without the secrets of that. */
const withoutSecrets = ({ serverId, ...others }: StoredCredentials): StoredCredentials => ({
  ...others,
  serverId: withoutUrlSecrets(serverId),
});

function credentialsLines({
  id,
  serverId,
  issuer,
  clientId,
  registration,
  generations,
}: StoredCredentials): string {
  const last = generations.at(-1);
  const token =
    last === undefined
      ? 'no token'
      : `${last.tokenType} ${last.accessFingerprint}, ${last.state}${last.expiresAt === null ? '' : `, until ${new Date(last.expiresAt).toISOString()}`}`;
  return [
    visibleText(id),
    ...[
      `server  ${withoutUrlSecrets(serverId)}`,
      `issuer  ${issuer}`,
      `client  ${clientId} (${registration})`,
      `token   ${token}`,
    ].map((line) => `  ${visibleText(line)}`),
  ].join('\n');
}

/** Prints the steps of flows as they end, and asks before each in the stepped mode. */
class FlowWatcher {
  readonly #session: HeadlessSession;
  readonly #isStepped: boolean;
  readonly #printed = new Map<string, string>();
  readonly #questions: LineQuestions | null;
  #asked = '';
  #stop: (() => void) | null = null;
  #printing: Promise<void> = Promise.resolve();

  constructor(session: HeadlessSession, isStepped: boolean) {
    this.#session = session;
    this.#isStepped = isStepped;
    this.#questions = isStepped ? createLineQuestions(process.stdin, process.stderr) : null;
  }

  start(): void {
    this.#stop = this.#session.on('authorization/changed', (flow) => this.#show(flow));
    void this.#showEarlier();
  }

  /** Prints what is left. */
  async close(): Promise<void> {
    await this.#showEarlier();
    this.#stop?.();
    this.#questions?.close();
    await this.#printing;
  }

  /** Flows that changed before anyone listened. */
  async #showEarlier(): Promise<void> {
    if (this.#stop === null) return;
    for (const flow of await this.#session.request('authorization/flows', {})) this.#show(flow);
  }

  #show(flow: AuthorizationFlow): void {
    const lines: string[] = [];
    for (const step of flow.steps) {
      const key = `${flow.id} ${step.id}`;
      const text = stepLines(step);
      if (text === null || this.#printed.get(key) === text) continue;
      this.#printed.set(key, text);
      lines.push(text);
    }
    if (lines.length > 0) this.#printing = this.#printing.then(() => print(lines.join('\n')));
    if (this.#isStepped) void this.#ask(flow);
  }

  async #ask(flow: AuthorizationFlow): Promise<void> {
    if (flow.state === 'failed') return this.#askAfterFault(flow);
    const step = flow.steps.find(({ id }) => id === flow.currentStep);
    const key = `${flow.id} ${flow.currentStep} ${flow.state}`;
    if (this.#asked === key || step === undefined || this.#questions === null) return;
    this.#asked = key;
    if (flow.state === 'waiting' && flow.browserUrl !== null) {
      say(`open this URL in a browser to authorize:\n${flow.browserUrl}`);
      return;
    }
    if (flow.state === 'waiting' && flow.question !== null) {
      await this.#printing;
      await askAboutFlow(this.#session, flow, { question: flow.question, terminal: this.#questions });
      return;
    }
    if (flow.state !== 'stopped') return;
    await this.#printing;
    const shown = step.request === null ? '' : `${requestLines(step.request)}\n`;
    const answer = await this.#questions.ask(
      `\n${step.id}  ${step.name} ${visibleText(step.label)}\n${shown}[Enter] send, (b)ack, s(k)ip, (r)un to the end, (q)uit: `,
    );
    const { id: flowId } = flow;
    const chosen = answer === null ? 'q' : answer.trim().toLowerCase();
    // Taken back, the same step is asked about again.
    this.#asked = '';
    try {
      if (chosen === '')
        await this.#session.request('authorization/send', { flowId, request: null, wrongValue: null });
      else if (chosen === 'b') await this.#session.request('authorization/back', { flowId });
      else if (chosen === 'k') await this.#session.request('authorization/skip', { flowId });
      else if (chosen === 'r') await this.#session.request('authorization/run', { flowId });
      else if (chosen === 'q') await this.#session.request('authorization/cancel', { flowId });
      else await this.#ask(flow);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      say(faultText(error.fault));
      await this.#ask(flow);
    }
  }

  /** A stepped flow that failed can go on where the user wants it to. Without that, it ends. */
  async #askAfterFault(flow: AuthorizationFlow): Promise<void> {
    const key = `${flow.id} ${flow.steps.length} failed`;
    if (!flow.canOverride || this.#asked === key || this.#questions === null) return;
    this.#asked = key;
    await this.#printing;
    if (flow.fault !== null) say(faultText(flow.fault));
    const answer = await this.#questions.ask('\n(c)ontinue anyway, (q)uit: ');
    const command = answer?.trim().toLowerCase() === 'c' ? 'authorization/override' : 'authorization/cancel';
    try {
      await this.#session.request(command, { flowId: flow.id });
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      say(faultText(error.fault));
    }
  }
}

/** `done   3  server-metadata   200   …`, with what is wrong below; null before it has ended, unless it waits in vain. */
function stepLines({
  id,
  name,
  label,
  state,
  response,
  outcome,
  findings,
}: AuthorizationStep): string | null {
  const isStray = state === 'waiting' && findings.length > 0;
  if (!isStray && state !== 'done' && state !== 'failed' && state !== 'skipped' && state !== 'taken-back')
    return null;
  const status = response === null ? '' : String(response.status);
  const said = isStray ? strayResponse : outcome;
  const what = visibleText(label === '' ? said : `${said} (${label})`);
  return [
    `${state.padEnd(10)} ${String(id).padStart(2)}  ${name.padEnd(21)} ${status.padEnd(3)}  ${what}`.trimEnd(),
    ...findings.map(
      ({ severity, text, source }) =>
        `${' '.repeat(14)}${severity}: ${visibleText(text)} (${visibleText(source)})`,
    ),
  ].join('\n');
}

const strayResponse =
  'A response came that does not belong to this request; it was not used. The flow goes on waiting; Ctrl-C ends it.';

/** A request as it would be sent, a line for each parameter. */
function requestLines({ method, url, query, headers, body }: StepRequest): string {
  const line = ({ name, value, fingerprint }: StepRequest['query'][number]) =>
    `    ${visibleText(name)} = ${value === null ? `(secret ${fingerprint ?? ''})` : visibleText(value)}`;
  return [
    `  ${method} ${visibleText(url)}`,
    ...[...query, ...headers, ...body].filter(({ isOn }) => isOn).map(line),
  ].join('\n');
}

async function printSummary(session: HeadlessSession): Promise<ExitCode> {
  const flows = await session.request('authorization/flows', {});
  const view = await session.view();
  const flow = flows.at(-1);
  const result =
    flow === undefined
      ? 'The server demanded no authorization.'
      : `Authorized as revision ${flow.revision} says.`;
  await print(`\n${result} The trace is ${view.traceFile.path}`);
  return exitCodes.fine;
}

type Cors = Awaited<ReturnType<typeof checkCors>>;

async function printOutcome(
  session: HeadlessSession,
  error: FaultError | null,
  cors: Cors = null,
): Promise<ExitCode> {
  const flows = await session.request('authorization/flows', {});
  const view = await session.view();
  const fault = error === null ? null : (view.fault ?? error.fault);
  const stored = await session.request('authorization/credentials', { serverId: null });
  const credentials = stored.map(withoutSecrets);
  const outcome = {
    ok: error === null,
    flows,
    credentials,
    fault,
    trace: view.traceFile.path,
    ...(cors !== null && { cors }),
  };
  await printJson(JSON.stringify(outcome, null, 2));
  return error === null ? exitCodes.fine : exitCodes.unavailable;
}
