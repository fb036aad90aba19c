import type { ServerTestId } from '#shared/contract/server-tests.ts';
import type { RawRequest } from '#authorization/exchange.ts';
import { lastEventIdOf, readEvents, receptionOf, sessionIdOf, type TestAnswer } from './answers.ts';
import { assess, type Assessment, notApplicable, statusText, unclear } from './assess.ts';
import type { Asked, Probe, Way } from './probe.ts';
import { messageRequest, type Sent, type SentToken, streamRequest } from './requests.ts';
import type { ServerTestRow } from './test-table.ts';
import { subjectOf } from './test-tokens.ts';

/** What the tests of sessions know of the server. */
export interface SessionTestOptions {
  readonly probe: Probe;
  readonly way: Way;
  /** The request that was accepted with the token in use, which opened the session of the tests. */
  readonly opened: Asked;
  readonly token: SentToken;
  /** The token of another identity; null without one. */
  readonly other: SentToken | null;
  /** Reports the answer to a test with what it means. */
  readonly report: (id: ServerTestId, assessment: Assessment, answer: TestAnswer | null) => void;
  readonly rowOf: (id: ServerTestId) => ServerTestRow;
}

/** A session that a test opened with the token in use. */
interface OpenedSession {
  /** Sends a ping in it. */
  readonly ping: (sent: Sent, test: string) => Promise<Asked>;
  /** Opens its event stream; null if the transport has none of its own. */
  readonly stream:
    | ((sent: Sent, test: string, lastEventId?: string, awaitsId?: boolean) => Promise<Asked>)
    | null;
}

/** Tests whether a session can be used without its token, or with one of another identity (security best practices). */
export async function testSessions(options: SessionTestOptions): Promise<void> {
  const { way, opened } = options;
  const notOf = (why: string): void => {
    for (const id of sessionTests) options.report(id, notApplicable(why), null);
  };
  if (way.transport === 'http-sse') return testSseSession(options, notOf);
  if (way.method === 'server/discover') return notOf(`Revision ${way.revision} has no sessions.`);
  const sessionId = sessionIdOf(opened.answer);
  if (sessionId === null) return notOf('The server gives no session id.');
  await testSession(options, streamableSession(options, sessionId));
}

export const sessionTests = [
  'session-without-token',
  'stream-without-token',
  'session-of-another',
  'stream-of-another',
  'resumption-by-another',
] as const satisfies readonly ServerTestId[];

function streamableSession({ probe, way }: SessionTestOptions, sessionId: string): OpenedSession {
  const form = probe.form(way.revision);
  return {
    ping: async (sent, test) => {
      const answer = await probe.send(messageRequest(form, 'ping', { sent, sessionId }), test, sent);
      return { answer, reception: receptionOf(answer, 'result') };
    },
    stream: async (sent, test, lastEventId, awaitsId = false) => {
      const request = streamRequest(form, { sent, sessionId, lastEventId: lastEventId ?? null });
      const answer = await probe.send(awaitsId ? untilEventId(request) : request, test, sent);
      return { answer, reception: receptionOf(answer, 'stream') };
    },
  };
}

/** Milliseconds after the head of a stream to wait for a first event id, which a server need not send. */
const ID_LIMIT = 1000;

/** The request for a stream that is read up to its first event id. */
function untilEventId(request: RawRequest): RawRequest {
  let headAt: NodeJS.Timeout | undefined;
  const over = new AbortController();
  return {
    ...request,
    isEnough: ({ status }, body) => {
      headAt ??= setTimeout(() => over.abort(), ID_LIMIT).unref();
      return status >= 300 || readEvents(body).lastEventId !== null;
    },
    end: over.signal,
  };
}

/** Milliseconds for which the stream of an HTTP+SSE session is held open at most: each of its tests has a limit of its own. */
const HELD_LIMIT = 120_000;

/** Holds the event stream of an HTTP+SSE session open for the tests, because it is the session (MCP 2024-11-05 transports). */
async function testSseSession(options: SessionTestOptions, notOf: (why: string) => void): Promise<void> {
  const { probe, way, token } = options;
  const form = probe.form(way.revision);
  const sent: Sent = { kind: 'token', token };
  const over = new AbortController();
  let found: (endpoint: URL | null) => void = () => undefined;
  const endpoint = new Promise<URL | null>((resolve) => {
    found = resolve;
  });
  const held = probe.send(
    {
      ...streamRequest(form, { sent }),
      isEnough: ({ status }, body) => {
        const data = readEvents(body).events.find(({ name }) => name === 'endpoint')?.data;
        if (data !== undefined) found(endpointOf(data, form.url));
        return status >= 300;
      },
      end: over.signal,
      limit: HELD_LIMIT,
    },
    'the stream of its session',
    sent,
  );
  try {
    const to = await Promise.race([endpoint, held.then(() => null)]);
    if (to === null) return notOf('The server names no endpoint of its own origin for messages.');
    const ping: OpenedSession['ping'] = async (by, test) => {
      const answer = await probe.send(messageRequest(form, 'ping', { sent: by, to }), test, by);
      return { answer, reception: receptionOf(answer, 'success') };
    };
    await testSession(options, { ping, stream: null });
  } finally {
    over.abort();
    await held;
  }
}

/** Tokens are sent to no other origin, whatever the server names. */
function endpointOf(data: string, server: URL): URL | null {
  if (!URL.canParse(data, server.href)) return null;
  const url = new URL(data, server);
  return url.origin === server.origin ? url : null;
}

async function testSession(options: SessionTestOptions, session: OpenedSession): Promise<void> {
  const { token } = options;
  const own: Sent = { kind: 'token', token };
  const asked = new Map<ServerTestId, Asked>();
  const label = (id: ServerTestId): string => options.rowOf(id).label;
  asked.set('session-without-token', await session.ping({ kind: 'none' }, label('session-without-token')));
  const stream = await testStream(options, session, asked);
  const other = await otherIdentity(options, session, { asked, hasStream: stream.why === null, stream });
  // A rejection means something only if the session can be used with its own token.
  const control = await session.ping(own, 'its session with its own token');
  for (const id of sessionTests) {
    const one = asked.get(id);
    const why = id.endsWith('-another') ? (other ?? stream.whyOf(id)) : stream.whyOf(id);
    if (one === undefined) options.report(id, why ?? notApplicable('It was not sent.'), null);
    else options.report(id, assessedOf(options, id, { one, control }), one.answer);
  }
}

function assessedOf(
  { rowOf, way }: SessionTestOptions,
  id: ServerTestId,
  { one, control }: { readonly one: Asked; readonly control: Asked },
): Assessment {
  const assessment = assess({ row: rowOf(id), ...one, revision: way.revision });
  if (assessment.outcome !== 'right') return assessment;
  if (control.reception !== 'accepted')
    return unclear(
      'The server refuses the session with its own token as well, so its rejection says nothing.',
    );
  // Some servers allow one stream of a session at a time.
  if (id.startsWith('stream') && one.answer.response?.status === 409)
    return unclear('The server says that the stream is open already, not that it belongs to another.');
  return assessment;
}

interface StreamTest {
  /** Why there is no stream to test; null if there is one. */
  readonly why: Assessment | null;
  readonly lastEventId: string | null;
  readonly whyOf: (id: ServerTestId) => Assessment | null;
}

/** Opens the event stream of the session with its own token, then without one. */
async function testStream(
  { token, rowOf, opened }: SessionTestOptions,
  { stream }: OpenedSession,
  asked: Map<ServerTestId, Asked>,
): Promise<StreamTest> {
  const isOfStream = (id: ServerTestId): boolean =>
    id !== 'session-without-token' && id !== 'session-of-another';
  const none = (why: Assessment): StreamTest => ({
    why,
    lastEventId: null,
    whyOf: (id) => (isOfStream(id) ? why : null),
  });
  if (stream === null)
    return none(notApplicable('The stream of HTTP+SSE is the session: nobody else can open it.'));
  const own = await stream({ kind: 'token', token }, 'its event stream with its own token', undefined, true);
  const { response } = own.answer;
  if (own.reception !== 'accepted')
    return none(
      response === null
        ? unclear('The server did not answer the request for its event stream.')
        : notApplicable(`The server has no event stream (${statusText(response)}).`),
    );
  const id = 'stream-without-token';
  asked.set(id, await stream({ kind: 'none' }, rowOf(id).label));
  const lastEventId = lastEventIdOf(own.answer) ?? lastEventIdOf(opened.answer);
  const noId = notApplicable('The server gives no event ids, so no stream can be resumed.');
  return {
    why: null,
    lastEventId,
    whyOf: (one) => (one === 'resumption-by-another' && lastEventId === null ? noId : null),
  };
}

/** Uses the session with the token of another identity. @returns why none of it was sent; null if it was */
async function otherIdentity(
  { probe, way, token, other, rowOf }: SessionTestOptions,
  session: OpenedSession,
  {
    asked,
    hasStream,
    stream,
  }: {
    readonly asked: Map<ServerTestId, Asked>;
    readonly hasStream: boolean;
    readonly stream: StreamTest;
  },
): Promise<Assessment | null> {
  if (other === null) return notApplicable(noOther);
  if (other.accessToken === token.accessToken) return notApplicable('Both tokens are the same.');
  const subject = subjectOf(token.accessToken);
  if (subject !== null && subject === subjectOf(other.accessToken))
    return notApplicable(`Both tokens are of the same identity (${subject}).`);
  const sent: Sent = { kind: 'token', token: other };
  const control = await probe.ask(way, 'the token of the other identity', sent);
  if (control.reception !== 'accepted')
    return unclear(
      'The server refuses the token of the other identity in a session of its own as well, so a rejection says nothing.',
    );
  const label = (id: ServerTestId): string => rowOf(id).label;
  asked.set('session-of-another', await session.ping(sent, label('session-of-another')));
  if (!hasStream || session.stream === null) return null;
  asked.set('stream-of-another', await session.stream(sent, label('stream-of-another')));
  const { lastEventId } = stream;
  if (lastEventId !== null) {
    const id = 'resumption-by-another';
    asked.set(id, await session.stream(sent, label(id), lastEventId));
  }
  return null;
}

const noOther =
  'There is no token of another identity. Authorize once more as somebody else, or enter a token of theirs.';
