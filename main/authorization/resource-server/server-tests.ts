import { FaultError, faultOf } from '#shared/contract/fault.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { ServerTest, ServerTestId, ServerTests, TestTokenKind } from '#shared/contract/server-tests.ts';
import { eraOf } from '#shared/protocol/revisions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import { Throttle } from '#transports/async.ts';
import type { CredentialStore } from '#authorization/credentials.ts';
import type { SendRequest } from '#authorization/exchange.ts';
import { canonicalUrl } from '#authorization/resource.ts';
import type { TokenSet } from '#authorization/tokens.ts';
import type { TokensInUse } from '#authorization/tokens-in-use.ts';
import { wordsOf } from './answers.ts';
import { Probe } from './probe.ts';
import { sessionTests } from './session-tests.ts';
import { demandedScopes, TestRun } from './test-run.ts';
import { serverTestTable, type ServerTestRow } from './test-table.ts';
import { TestTokens } from './test-tokens.ts';
import { prepare, type TestMaterial } from './token-tests.ts';

export interface ServerTestsOptions {
  readonly sessionId: string;
  readonly serverId: string;
  readonly serverUrl: URL;
  readonly revision: () => string | null;
  readonly userAgent: string;
  /** Header lines of the user for the server. */
  readonly customHeaders: HeaderLines;
  readonly store: CredentialStore;
  readonly inUse: TokensInUse;
  /** The header lines of the response that demanded the last authorization; empty without one. */
  readonly demand: () => HeaderLines;
  readonly send: SendRequest;
  readonly markSecret: (kind: string, value: string) => void;
  readonly markRow: (row: number, note: string) => void;
  readonly redacted: <T>(value: T) => Redacted<T>;
  readonly onChange: (tests: Redacted<ServerTests>) => void;
}

/** Milliseconds between two events about a run. */
const NOTICE_EVERY = 50;

/** Requests of a run besides those of its tests: for the token in use, of the sessions that it opened, and their end. */
const COMMON_REQUESTS = 8;

/** The tests of one MCP server as a resource server, with the further tokens that they send. */
export class ServerTesting {
  readonly #options: ServerTestsOptions;
  readonly #further = new TestTokens();
  readonly #notice: Throttle;
  #last: ServerTests | null = null;
  #stop: AbortController | null = null;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ServerTestsOptions) {
    this.#options = options;
    this.#notice = new Throttle(NOTICE_EVERY, () => {
      if (this.#last !== null) options.onChange(options.redacted(this.#last));
    });
  }

  /** The last run, or what a run would send. */
  async view(): Promise<Redacted<ServerTests>> {
    return this.#options.redacted(await this.#view());
  }

  /** Begins a run. @throws FaultError if one is under way, or the credentials are not of the same issuer */
  async run(foreignCredentials: string | null): Promise<Redacted<ServerTests>> {
    if (this.#stop !== null) throw new FaultError(underWay);
    const stop = new AbortController();
    this.#stop = stop;
    try {
      const material = await this.#material(foreignCredentials);
      this.#last = { ...(await this.#plan(material)), state: 'running' };
      this.#update({});
      this.#ended = this.#run(material, stop);
      return this.#options.redacted(this.#last);
    } catch (error) {
      this.#stop = null;
      throw error;
    }
  }

  /** Ends the run after the request that is under way. Idempotent. */
  stop(): void {
    this.#stop?.abort();
  }

  /** Takes a token that the user entered. */
  useToken(kind: TestTokenKind, accessToken: string): Promise<Redacted<ServerTests>> {
    this.#options.markSecret('access_token', accessToken);
    const token = { accessToken, tokenType: 'Bearer', prover: null };
    this.#further.keep(kind, { token, scope: null, from: 'you entered it' });
    return this.#changed();
  }

  dropToken(kind: TestTokenKind): Promise<Redacted<ServerTests>> {
    this.#further.drop(kind);
    return this.#changed();
  }

  /** Takes the tokens of a flow for the tests. */
  async keepTokens(
    kind: TestTokenKind,
    tokens: TokenSet,
    from: { issuer: string; flow: number },
  ): Promise<void> {
    const { markSecret, store: _, inUse } = this.#options;
    inUse.markSecrets(tokens);
    markSecret('access_token', tokens.accessToken);
    const prover = await inUse.proverOf(tokens, from.issuer);
    const { accessToken, tokenType, scope } = tokens;
    this.#further.keep(kind, { token: { accessToken, tokenType, prover }, scope, from: `flow ${from.flow}` });
    await this.#changed();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#ended;
  }

  async #changed(): Promise<Redacted<ServerTests>> {
    const view = await this.view();
    this.#options.onChange(view);
    return view;
  }

  async #view(): Promise<ServerTests> {
    const plan = await this.#plan(await this.#material(null));
    if (this.#last === null) return plan;
    const { tokens, foreign, hasToken, requests } = plan;
    return { ...this.#last, tokens, foreign, hasToken, requests };
  }

  async #run(material: TestMaterial, stop: AbortController): Promise<void> {
    const { form, ...probe } = this.#probeOptions(stop.signal);
    const run = new TestRun(new Probe({ form, ...probe }), material, {
      onControl: (control, { revision, transport }, controlRow) =>
        this.#update({ control, controlRow, revision, transport }),
      onBegin: (id) => this.#updateTest(id, { state: 'running', outcome: null, why: '' }),
      onEnd: (id, { outcome, why, finding }, answer) => {
        const response = answer?.response ?? null;
        this.#updateTest(id, {
          state: 'done',
          outcome,
          why,
          finding,
          status: response?.status ?? null,
          words: response === null ? '' : wordsOf(response),
          row: response?.row ?? null,
        });
      },
    });
    let fault: ServerTests['fault'] = null;
    try {
      await run.run();
    } catch (error) {
      fault = faultOf('tested the server', error);
    }
    this.#stop = null;
    const state = fault !== null ? 'failed' : stop.signal.aborted ? 'stopped' : 'done';
    const tests = (this.#last?.tests ?? []).map((test) =>
      test.state === 'done' ? test : { ...test, ...notRun },
    );
    this.#update({ state, fault, tests });
    this.#notice.flush();
  }

  #probeOptions(stop: AbortSignal) {
    const { serverUrl, userAgent, customHeaders, revision, send, markSecret, markRow } = this.#options;
    return {
      form: { url: serverUrl, userAgent, custom: customHeaders },
      revision: revision(),
      // The user has seen that everything goes to this server.
      send: (request: Parameters<SendRequest>[0]) => send(request, true),
      markSecret,
      mark: markRow,
      stop,
    };
  }

  async #material(foreignCredentials: string | null): Promise<TestMaterial> {
    const { store, serverId, serverUrl, inUse } = this.#options;
    const { current } = inUse;
    const stored = (await store.ofServer(serverId)).filter((one) => one.serverUrl === serverUrl.href);
    const own = stored.find(({ id }) => id === current?.credentialsId) ?? stored.at(-1);
    const foreign = foreignCredentials === null ? null : await store.get(foreignCredentials);
    if (foreignCredentials !== null && (foreign === null || foreign.issuer !== own?.issuer))
      throw new FaultError(notOfIssuer);
    return {
      inUse:
        current === null
          ? null
          : {
              token: {
                accessToken: current.tokens.accessToken,
                tokenType: current.tokens.tokenType,
                prover: current.prover,
              },
              tokens: current.tokens,
            },
      earlier: inUse.earlier,
      stored,
      further: this.#further,
      foreign,
      demandedScopes: demandedScopes(this.#options.demand()),
      issuer: own?.issuer ?? serverUrl.origin,
      resource: own?.resource ?? canonicalUrl(serverUrl),
    };
  }

  async #plan(material: TestMaterial): Promise<ServerTests> {
    const { sessionId, serverId, serverUrl, revision, store } = this.#options;
    const known = revision();
    const tests = serverTestTable.map((row) =>
      plannedTest(row, whyNotPlanned(row.id, material, known), known),
    );
    const sent = tests.filter(({ outcome }) => outcome === null);
    const all = await store.list(null);
    const foreign = all
      .filter(
        (one) => one.issuer === material.issuer && one.serverId !== serverId && one.generations.length > 0,
      )
      .map(({ id, serverId: other, resource }) => ({ id, serverId: withoutUrlSecrets(other), resource }));
    return {
      sessionId,
      serverId,
      url: withoutUrlSecrets(serverUrl.href),
      state: 'planned',
      revision: known,
      transport: null,
      requests: sent.reduce((sum, { requests }) => sum + requests, COMMON_REQUESTS),
      hasToken: material.inUse !== null,
      control: '',
      controlRow: null,
      tests,
      tokens: this.#further.views,
      foreign: material.inUse === null ? [] : foreign,
      fault: null,
    };
  }

  #update(change: Partial<ServerTests>): void {
    if (this.#last === null) return;
    this.#last = { ...this.#last, ...change };
    this.#notice.request();
  }

  #updateTest(id: ServerTestId, change: Partial<ServerTest>): void {
    const tests = (this.#last?.tests ?? []).map((test) => (test.id === id ? { ...test, ...change } : test));
    this.#update({ tests });
  }
}

/** Why a test would send nothing, as far as that is known before a run; null if it would. */
function whyNotPlanned(id: ServerTestId, material: TestMaterial, revision: string | null): string | null {
  if (!sessionTests.some((one) => one === id)) {
    const prepared = prepare(id, material);
    return 'reason' in prepared ? prepared.reason : null;
  }
  if (revision !== null && eraOf(revision) === 'modern') return `Revision ${revision} has no sessions.`;
  if (material.inUse === null) return 'There is no token in use. Authorize first.';
  const needsOther = id.endsWith('-another');
  if (needsOther && material.further.get('other-identity') === null)
    return 'There is no token of another identity. Authorize once more as somebody else, or enter a token of theirs.';
  return null;
}

const plannedTest = (row: ServerTestRow, why: string | null, revision: string | null): ServerTest => {
  const { id, label, sends, right, careless, allowed, requests } = row;
  return {
    id,
    label,
    sends,
    right,
    careless,
    source: row.source(revision),
    allowed: allowed === null ? 'any 4xx' : allowed.join(' or '),
    requests,
    state: 'planned',
    outcome: why === null ? null : 'not-applicable',
    why: why ?? '',
    status: null,
    words: '',
    row: null,
    finding: null,
  };
};

const notRun = { state: 'done', outcome: 'unclear', why: 'The run ended before it.' } as const;

const underWay = {
  code: 'server-tests-under-way',
  what: 'The tests of this server run already.',
  next: 'Wait until they have ended, or stop them.',
};

const notOfIssuer = {
  code: 'credentials-of-other-issuer',
  what: 'These credentials are not of the authorization server of the token in use, so their token is not sent.',
};
