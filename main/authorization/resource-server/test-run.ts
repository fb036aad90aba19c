import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import type { ServerTestId } from '#shared/contract/server-tests.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { sessionIdOf, type TestAnswer } from './answers.ts';
import {
  assess,
  assessChallenge,
  type Assessment,
  assessScope,
  notApplicable,
  statusAndWords,
  unclear,
} from './assess.ts';
import type { Asked, Probe, Way } from './probe.ts';
import type { Sent } from './requests.ts';
import { sessionTests, testSessions } from './session-tests.ts';
import { type ServerTestRow, serverTestTable } from './test-table.ts';
import { scopeOf } from './test-tokens.ts';
import { type Prepared, prepare, type TestMaterial } from './token-tests.ts';

/** What a run reports as it goes on. */
export interface RunListener {
  /** The server has answered the token in use. */
  readonly onControl: (text: string, way: Way, row: number | null) => void;
  readonly onBegin: (id: ServerTestId) => void;
  readonly onEnd: (id: ServerTestId, assessment: Assessment, answer: TestAnswer | null) => void;
}

type Opened = Asked & { readonly way: Way };

/** Runs every test against one server, in the order of the table. */
export class TestRun {
  readonly #probe: Probe;
  readonly #material: TestMaterial;
  readonly #listener: RunListener;
  #demandedScopes: readonly string[];

  constructor(probe: Probe, material: TestMaterial, listener: RunListener) {
    this.#probe = probe;
    this.#material = material;
    this.#demandedScopes = material.demandedScopes;
    this.#listener = listener;
  }

  async run(): Promise<void> {
    try {
      const control = await this.#control();
      await this.#tokenTests(control);
      await this.#sessionTests(control);
    } finally {
      await this.#probe.endSessions();
    }
  }

  /** Sends the token in use; null without one. */
  async #control(): Promise<Opened | null> {
    const { inUse } = this.#material;
    if (inUse === null) return null;
    const sent: Sent = { kind: 'token', token: inUse.token };
    let opened = await this.#probe.findWay('the token in use', sent);
    // The first proof has no nonce (RFC 9449 section 9).
    if (opened.reception === 'refused' && inUse.token.prover !== null)
      opened = await this.#probe.findWay('the token in use, with the nonce', sent);
    const { response, fault } = opened.answer;
    const said = response === null ? fault.what : statusAndWords(response);
    const text =
      opened.reception === 'accepted'
        ? `The server accepts the token in use (${said}).`
        : `The server does not accept the token in use (${said}), so the rejection of another one would say nothing.`;
    this.#listener.onControl(text, opened.way, response?.row ?? null);
    return opened;
  }

  async #tokenTests(control: Opened | null): Promise<void> {
    let way: Way | null = control?.reception === 'accepted' ? control.way : null;
    let isDemanding = true;
    for (const row of serverTestTable) {
      if (isSessionTest(row.id) || this.#probe.isStopped) continue;
      this.#listener.onBegin(row.id);
      const prepared = prepare(row.id, this.#material);
      const why = this.#whyNot(row, { control, prepared, isDemanding });
      if (why !== null || 'reason' in prepared) {
        this.#listener.onEnd(row.id, why ?? notApplicable('It was not sent.'), null);
        continue;
      }
      if (row.id === 'no-token') {
        const found = await this.#withoutToken(row, { control, way });
        way = found.way;
        isDemanding = found.isDemanding;
        continue;
      }
      const ask = { row, way: way ?? this.#firstWay, prepared, control };
      await (row.id === 'less-scope' ? this.#withLessScope(ask) : this.#withToken(ask));
    }
  }

  get #firstWay(): Way {
    const [way] = this.#probe.ways;
    if (way === undefined) throw new Error('there is a way to try');
    return way;
  }

  /** Why a test sends nothing; null if it does. */
  #whyNot(
    row: ServerTestRow,
    {
      control,
      prepared,
      isDemanding,
    }: {
      readonly control: Opened | null;
      readonly prepared: Prepared;
      readonly isDemanding: boolean;
    },
  ): Assessment | null {
    if (!isDemanding) return notApplicable('The server demands no authorization.');
    if ('reason' in prepared) return notApplicable(prepared.reason);
    if (!row.needsToken || control?.reception === 'accepted') return null;
    return control === null
      ? notApplicable('There is no token in use to compare with. Authorize first.')
      : unclear('The server does not accept the token in use either, so a rejection says nothing.');
  }

  /** The request without a token, and the way in which the others are sent. */
  async #withoutToken(
    row: ServerTestRow,
    { control, way }: { readonly control: Opened | null; readonly way: Way | null },
  ): Promise<{ readonly way: Way; readonly isDemanding: boolean }> {
    const sent: Sent = { kind: 'none' };
    const asked =
      way === null
        ? await this.#probe.findWay(row.label, sent)
        : { way, ...(await this.#probe.ask(way, row.label, sent)) };
    const { answer } = asked;
    this.#noteScopes(answer);
    const assessed = { row, ...asked, revision: asked.way.revision };
    if (asked.reception !== 'accepted') {
      this.#listener.onEnd(row.id, assessChallenge(assessed), answer);
      return { way: asked.way, isDemanding: true };
    }
    if (control === null) {
      const none = unclear(
        'The server answers without a token, and there is none to compare with: it demands no authorization.',
      );
      this.#listener.onEnd(row.id, none, answer);
      return { way: asked.way, isDemanding: false };
    }
    const strict = await this.#strictWay(row, asked.way, control);
    const assessment = assess(assessed);
    this.#listener.onEnd(row.id, strict === null ? assessment : openMethod(assessment, asked.way), answer);
    return { way: strict ?? asked.way, isDemanding: true };
  }

  /** `tools/list`, if the server demands a token for it and not for the first request; null if it does not. */
  async #strictWay(row: ServerTestRow, way: Way, control: Opened): Promise<Way | null> {
    const { inUse } = this.#material;
    if (way.transport === 'http-sse' || inUse === null) return null;
    const strict: Way = { ...way, method: 'tools/list', sessionId: sessionIdOf(control.answer) };
    const asked = await this.#probe.ask(strict, `${row.label}, tools/list`, { kind: 'none' });
    this.#noteScopes(asked.answer);
    const status = asked.answer.response?.status;
    if (status !== 401 && status !== 403) return null;
    const sent: Sent = { kind: 'token', token: inUse.token };
    const own = await this.#probe.ask(strict, 'the token in use, tools/list', sent);
    return own.reception === 'accepted' ? strict : null;
  }

  #noteScopes({ response }: TestAnswer): void {
    const scopes = response === null ? [] : demandedScopes(response.headers);
    if (scopes.length > 0) this.#demandedScopes = scopes;
  }

  async #withToken({ row, way, prepared }: AskedTest): Promise<void> {
    const asked = await this.#probe.ask(way, row.label, await prepared.send());
    const assessment = assess({ row, ...asked, revision: way.revision });
    const isEarly = assessment.outcome === 'careless' && prepared.isRecentlyExpired === true;
    const leeway = unclear(
      'The server accepts it, but it has expired less than 5 minutes ago. Servers may allow for clocks that differ; run the test again later.',
    );
    this.#listener.onEnd(
      row.id,
      isEarly && asked.reception === 'accepted' ? leeway : assessment,
      asked.answer,
    );
  }

  /** To list tools more likely needs a scope than to begin a session. */
  async #withLessScope({ row, way, prepared, control }: AskedTest): Promise<void> {
    const sent = await prepared.send();
    const first = await this.#probe.ask(way, row.label, sent);
    const isAccepted = first.reception === 'accepted' && way.transport === 'streamable-http';
    const sessionId = sessionIdOf(first.answer) ?? way.sessionId ?? null;
    const asked =
      isAccepted && way.method !== 'tools/list'
        ? await this.#probe.ask({ ...way, method: 'tools/list', sessionId }, row.label, sent)
        : first;
    const kept = this.#material.further.get('less-scope');
    const granted = kept === null ? null : scopeOf(kept.token.accessToken, kept.scope);
    const missing =
      granted === null || way.transport === 'http-sse'
        ? []
        : this.#demandedScopes.filter((one) => !granted.split(' ').includes(one));
    this.#listener.onEnd(
      row.id,
      assessScope({ row, ...asked, revision: control?.way.revision ?? way.revision }, missing),
      asked.answer,
    );
  }

  async #sessionTests(control: Opened | null): Promise<void> {
    const { inUse, further } = this.#material;
    if (this.#probe.isStopped) return;
    if (inUse === null || control?.reception !== 'accepted') {
      const why =
        inUse === null
          ? notApplicable('There is no token in use. Authorize first.')
          : unclear('The server does not accept the token in use.');
      for (const id of sessionTests) this.#listener.onEnd(id, why, null);
      return;
    }
    for (const id of sessionTests) this.#listener.onBegin(id);
    await testSessions({
      probe: this.#probe,
      way: control.way,
      opened: control,
      token: inUse.token,
      other: further.get('other-identity')?.token ?? null,
      rowOf,
      report: this.#listener.onEnd,
    });
  }
}

interface AskedTest {
  readonly row: ServerTestRow;
  readonly way: Way;
  readonly prepared: Extract<Prepared, { send: unknown }>;
  readonly control: Opened | null;
}

/** The scopes that a challenge names as needed (RFC 6750 section 3); none without one. */
export const demandedScopes = (headers: HeaderLines): string[] =>
  (oauthChallenge(challengesOf(headers))?.parameters.get('scope') ?? '')
    .split(' ')
    .filter((one) => one !== '');

const isSessionTest = (id: ServerTestId): boolean => sessionTests.some((one) => one === id);

function rowOf(id: ServerTestId): ServerTestRow {
  const row = serverTestTable.find((one) => one.id === id);
  if (row === undefined) throw new Error(`the table has no test ${id}`);
  return row;
}

/** A server may leave the first request open and protect the others: less bad than to demand no token at all. */
const openMethod = (assessment: Assessment, { method }: Way): Assessment => {
  const why = `The server answers ${method} without a token, and demands one for tools/list. It must verify every request.`;
  const { finding } = assessment;
  return { ...assessment, why, finding: finding && { ...finding, text: why, severity: 'warning' } };
};
