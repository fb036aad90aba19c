import { isIP } from 'node:net';
import { formatDuration } from '#shared/format.ts';
import type { Certificate, HttpConnectedRecord, HttpFailure, TlsFacts } from '#shared/trace/record.ts';
import type { ConnectLog, ExchangeLog } from './connect-log.ts';
import { factsOf, type MeasuredStep, notMeasured } from './step.ts';

interface HttpStepsOptions {
  /** The URL of the server, without its secrets. */
  readonly url: string;
  readonly log: ConnectLog;
  /** The row of an exchange in the trace. */
  readonly rowOf: (exchange: number) => number | null;
  /** The challenges of a response that demands authorization. */
  readonly challengeOf: (exchange: number) => string | undefined;
}

/** The steps of an HTTP connection up to authorization, as the exchanges measured them. */
export function httpSteps(options: HttpStepsOptions): MeasuredStep[] {
  const url = new URL(options.url);
  const { log, rowOf } = options;
  const { exchanges } = log;
  const opened = exchanges.findLast(
    ({ connected, failure }) => connected !== null || failure?.took !== undefined,
  );
  const link = linkOf(opened);
  const row = opened === undefined ? null : rowOf(opened.id);
  const steps = [
    lookupStep(url, link),
    connectStep(link),
    ...proxySteps(link),
    tlsStep(url, link, log),
    ...responseSteps(options),
  ];
  return steps.map((step) => ({ ...step, row: step.row ?? row }));
}

/** What was measured of a connection, complete or not. */
interface Link {
  readonly remote: string | null;
  readonly took: HttpConnectedRecord['took'];
  readonly proxy: string | null;
  readonly tls: TlsFacts | null;
  readonly failure: HttpFailure | null;
}

function linkOf(exchange: ExchangeLog | undefined): Link {
  const connected = exchange?.connected ?? null;
  const failure = exchange?.failure ?? null;
  return {
    remote: connected?.remote ?? failure?.remote ?? null,
    took: connected?.took ?? failure?.took ?? {},
    proxy: connected?.proxy ?? null,
    tls: connected?.tls ?? null,
    failure,
  };
}

function lookupStep({ hostname }: URL, { remote, took, failure }: Link): MeasuredStep {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const step = { name: 'lookup', row: null } as const;
  if (isIP(host) !== 0) {
    return { ...step, state: 'skipped', measured: `${host} is an address`, facts: [] };
  }
  if (took.lookup === undefined) return notMeasured('lookup');
  const address = remote?.replace(/:\d+$/, '');
  return {
    ...step,
    state: 'ok',
    measured: failure?.step === 'lookup' ? failure.message : [host, address].filter(Boolean).join(' → '),
    facts: factsOf({ Name: host, Address: address, Time: formatDuration(took.lookup) }),
  };
}

function connectStep({ remote, took, proxy, failure }: Link): MeasuredStep {
  const time = took.connect === undefined ? null : formatDuration(took.connect);
  return {
    name: 'connect',
    state: remote === null ? 'unknown' : 'ok',
    measured:
      remote === null
        ? failure?.step === 'connect'
          ? failure.message
          : null
        : `${proxy === null ? '' : 'the proxy '}${remote}${time === null ? '' : ` in ${time}`}`,
    facts: factsOf({ Address: remote, Time: time, Error: failure?.step === 'connect' ? failure.code : null }),
    row: null,
  };
}

/** Only a connection through a proxy has this step. */
function proxySteps({ proxy, took, failure }: Link): MeasuredStep[] {
  if (proxy === null && failure?.step !== 'proxy') return [];
  return [
    {
      name: 'proxy',
      state: 'ok',
      measured: proxy ?? failure?.message ?? null,
      facts: factsOf({
        Proxy: proxy,
        Tunnel: took.proxy === undefined ? null : formatDuration(took.proxy),
        Error: proxy === null ? failure?.code : null,
      }),
      row: null,
    },
  ];
}

function tlsStep({ protocol }: URL, { tls, took, failure }: Link, { speaksTls }: ConnectLog): MeasuredStep {
  if (speaksTls) {
    return {
      name: 'tls',
      state: 'unknown',
      measured: 'the server speaks TLS, the URL is http://',
      facts: [],
      row: null,
    };
  }
  if (protocol !== 'https:') {
    return { name: 'tls', state: 'skipped', measured: 'the URL is http://', facts: [], row: null };
  }
  const certificate = tls?.certificate ?? failure?.certificate;
  const isBroken = failure?.step === 'tls';
  const parts = isBroken ? [failure.message] : [tls?.protocol, certificate?.subject];
  return {
    name: 'tls',
    state: tls === null ? 'unknown' : 'ok',
    measured: parts.filter(Boolean).join(', ') || null,
    facts: factsOf({
      Protocol: tls?.protocol,
      Cipher: tls?.cipher,
      ...(certificate && certificateFacts(certificate)),
      'Not trusted': tls?.untrusted ?? (isBroken && certificate ? failure.code : null),
      Error: isBroken && !certificate ? failure.code : null,
      Time: took.tls === undefined ? null : formatDuration(took.tls),
    }),
    row: null,
  };
}

const certificateFacts = ({ subject, issuer, altNames, validFrom, validTo, fingerprint }: Certificate) => ({
  Subject: subject,
  Issuer: issuer,
  Names: altNames,
  Valid: `${validFrom} to ${validTo}`,
  'SHA-256': fingerprint,
});

/** The steps HTTP and authorization. The last exchange decides their state; all exchanges are in the facts. */
function responseSteps({ log: { exchanges }, rowOf, challengeOf }: HttpStepsOptions): MeasuredStep[] {
  const last =
    exchanges.findLast(({ response, failure }) => response !== null || failure !== null) ?? exchanges.at(-1);
  const response = last?.response ?? null;
  const facts = exchanges.map((exchange) => ({
    name: requestLabel(exchange),
    value: responseLabel(exchange),
  }));
  const row = last === undefined ? null : rowOf(last.id);
  const isRejected = response?.status === 401 || response?.status === 403;
  const challenge = last && challengeOf(last.id);
  const sent =
    last?.isAuthorized === true ? 'with the Authorization header' : 'no Authorization header was sent';
  return [
    {
      name: 'http',
      state: response === null ? 'unknown' : 'ok',
      measured:
        last === undefined ? null : `${requestLabel(last)}: ${last.failure?.message ?? responseLabel(last)}`,
      facts,
      row,
    },
    {
      name: 'authorization',
      state: response === null ? 'unknown' : 'ok',
      measured: isRejected
        ? `${response.status} ${challenge ?? 'without a WWW-Authenticate challenge'}`.replace(/\n.*/s, '')
        : last?.isAuthorized === true
          ? 'the Authorization header was accepted'
          : 'not required',
      facts: isRejected ? factsOf({ Request: sent, Challenge: challenge }) : [],
      row,
    },
  ];
}

const requestLabel = ({ method, url }: ExchangeLog): string => `${method} ${new URL(url).pathname}`;

function responseLabel({ at, response, end, failure }: ExchangeLog): string {
  if (response === null) {
    return failure?.message ?? (end === 'dropped' ? 'given up without a response' : 'no response');
  }
  const { status, reason, headers } = response;
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const line = [`${status} ${reason}`.trimEnd(), type].filter(Boolean).join(', ');
  return `${line} in ${formatDuration(response.at - at)}`;
}
