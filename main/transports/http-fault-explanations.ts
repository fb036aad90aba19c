import type { Fault } from '#shared/contract/fault.ts';
import type { Certificate, HttpFailure, HttpStep } from '#shared/trace/record.ts';
import { isLoopback } from '#shared/loopback.ts';
import { DAMAGED_CODING, TOO_LARGE } from './content-coding.ts';
import { PRIVATE_ADDRESS } from './http-connect.ts';

/** The URL and the proxy of the failed exchange. */
interface ExchangeTarget {
  readonly url: URL;
  /** The address of the proxy, when it is known. */
  readonly proxy: string | null;
}

type Explanation = Omit<Fault, 'code' | 'evidence'>;
type Explain = (failure: HttpFailure, at: ExchangeTarget) => Explanation;

/** Why an exchange failed, for the user: what happened, the likely cause, what to do. */
export function explainHttpFailure(failure: HttpFailure, at: ExchangeTarget): Fault {
  const { step, code, message, certificate } = failure;
  if (code === PRIVATE_ADDRESS) return privateAddress(message, at.url);
  const said = message.trim();
  const line = `${step}: ${said.includes(code) ? said : `${said} (${code})`}`;
  const evidence = [line, ...(certificate ? certificateLines(certificate) : [])];
  return { code: `http-${step}`, ...explanations[step](failure, at), evidence: evidence.join('\n') };
}

const privateAddress = (message: string, url: URL): Fault => ({
  code: 'private-address',
  what: `The server names ${url.host}, which only this machine or its network can reach; nothing was sent there.`,
  why: 'A public server could use you to reach what it cannot reach itself (MCP security best practices).',
  next: `If that is meant, send the step in the window or with "--step", where you see it first, or give --allow-address ${url.host} in a terminal.`,
  evidence: message,
});

const explanations: Readonly<Record<HttpStep, Explain>> = {
  lookup: ({ code }, { url }) => ({
    what: `The name ${url.hostname} was not found.`,
    why:
      code === 'EAI_AGAIN'
        ? 'The name server did not answer; this machine may be offline.'
        : 'It is misspelt, or known only in another network.',
    next: 'Check the host in the URL, the network and the VPN.',
  }),

  connect: (failure, { url }) => {
    const cause = connectCauses[failure.code];
    return cause === undefined
      ? {
          what: `No connection to ${url.host} could be made.`,
          why: failure.message,
          next: 'Check the host and the port in the URL, and the network.',
        }
      : cause(failure, url);
  },

  proxy: (failure, { url, proxy }) => {
    const name = proxy === null ? 'The proxy' : `The proxy ${proxy}`;
    const advice = proxyCauses[failure.code] ?? {
      why: `It could not be reached, or did not do what it should: ${failure.message}`,
      next: 'Check HTTP_PROXY and HTTPS_PROXY in the environment this app was started with.',
    };
    const next = `${advice.next} If ${url.host} can be reached directly, set the proxy of this server to none.`;
    return { what: `${name} gave no connection to ${url.host}.`, why: advice.why, next };
  },

  tls: (failure, { url }) => {
    if (failure.certificate !== undefined) return untrusted(failure, failure.certificate, url);
    if (answersPlainly.test(failure.code) || answersPlainly.test(failure.message)) {
      return {
        what: `${url.host} does not speak TLS.`,
        why: 'It answered with something else, most likely plain HTTP.',
        next: `Change the URL to http://${url.host}${url.pathname}, if that is meant.`,
      };
    }
    if (wantsCertificate.test(failure.code)) {
      return {
        what: `${url.host} did not accept our client certificate, or requires one that was not sent.`,
        why: failure.message,
        next: 'Choose the client certificate and its key in the server settings.',
      };
    }
    return {
      what: `TLS with ${url.host} could not be established.`,
      why: `The port may not speak TLS, or the server broke off: ${failure.message}`,
      next: `Check the port, and whether the URL should begin with http://. "openssl s_client -connect ${hostAndPort(url)}" shows more.`,
    };
  },

  request: ({ code, message }, { url }) =>
    code.startsWith('ERR_')
      ? {
          what: 'The request cannot be written.',
          why: message,
          next: 'Check the names and values of its header lines: no line breaks, and characters of Latin-1 only.',
        }
      : {
          what: `The connection to ${url.host} broke while the request was being sent.`,
          why: `The server, or something between, closed it: ${message}. It may not take a body this large.`,
          next: 'Look at the log of the server.',
        },

  response: ({ code, message }, { url }) => {
    if (code === 'TLS_ANSWER') {
      return {
        what: `${url.host} speaks TLS, but the URL begins with http://.`,
        next: `Change the URL to https://${url.host}${url.pathname}`,
      };
    }
    if (code.startsWith('HPE_') || code === 'HTTP_UPGRADE') {
      return {
        what: `The response of ${url.host} is not HTTP.`,
        why: message,
        next: 'Look at the bytes in the trace. Is this the right port?',
      };
    }
    return {
      what: `${url.host} closed the connection without a response.`,
      why:
        url.protocol === 'https:'
          ? `The server crashed, or it requires a client certificate: ${message}.`
          : `The server crashed or was restarted, or its port expects https: ${message}.`,
      next:
        url.protocol === 'https:'
          ? 'Look at the log of the server.'
          : 'Look at the log of the server, or try https:// in the URL.',
    };
  },

  body: ({ code, message }, { url }) => {
    if (code === DAMAGED_CODING) {
      return {
        what: `The response of ${url.host} cannot be decoded.`,
        why: `Its Content-Encoding header names an encoding that its body does not have, or has only in part: ${message}.`,
        next: 'Correct the compression of the server, or of what is in front of it. The header "Accept-Encoding: identity" asks for plain bodies.',
      };
    }
    if (code === TOO_LARGE) {
      return {
        what: `The response of ${url.host} is compressed and becomes far too large, so it was not read to its end.`,
        why: `${message}. Such a body fills the memory and the disk of its reader.`,
        next: 'If the server is meant to send this, ask for a plain body with the header "Accept-Encoding: identity".',
      };
    }
    return {
      what: `The response of ${url.host} broke off inside its body.`,
      why: code.startsWith('HPE_')
        ? `Its chunks are malformed: ${message}`
        : `The server crashed, or something between closed the connection: ${message}.`,
      next: 'The received part is in the trace. Look at the log of the server.',
    };
  },
};

const connectCauses: Readonly<Record<string, (failure: HttpFailure, url: URL) => Explanation>> = {
  ECONNREFUSED: (_failure, url) =>
    isLoopback(url)
      ? {
          what: `Nothing listens on ${hostAndPort(url)}.`,
          why: 'The server is not running, or listens on another port or address.',
          next: 'Is the server running? Start it, and compare the port it prints with the URL.',
        }
      : {
          what: `${url.hostname} accepts no connections on port ${portOf(url)}.`,
          why: 'The server is not running there, listens on another port, or a firewall refuses.',
          next: 'Check the port in the URL, and that the server runs.',
        },
  ETIMEDOUT: ({ message }, url) => ({
    what: `${hostAndPort(url)} did not answer.`,
    why: `A firewall drops what is sent there, or the machine is off: ${message}`,
    next: 'Check the host and the port in the URL, the VPN, and whether a proxy is needed.',
  }),
  ENETUNREACH: (_failure, url) => unreachable(url),
  EHOSTUNREACH: (_failure, url) => unreachable(url),
};

const unreachable = (url: URL): Explanation => ({
  what: `${url.hostname} cannot be reached from this machine.`,
  why: 'The network or the VPN it is in is not connected.',
  next: 'Check the network and the VPN.',
});

const proxyCauses: Readonly<Record<string, Required<Pick<Explanation, 'why' | 'next'>>>> = {
  PROXY_407: {
    why: 'It requires a user name and a password, or rejected the given ones (status 407).',
    next: 'Write them into the address: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT',
  },
  PROXY_403: {
    why: 'It does not allow connections to this server or port (status 403).',
    next: 'Ask who runs the proxy.',
  },
  PROXY_502: {
    why: 'It could not reach the server (status 502).',
    next: 'Check the host and the port in the URL.',
  },
  PROXY_503: {
    why: 'It could not reach the server (status 503).',
    next: 'Check the host and the port in the URL.',
  },
  PROXY_504: {
    why: 'The server did not answer it in time (status 504).',
    next: 'Check the host and the port in the URL.',
  },
  PROXY_UNSUPPORTED: {
    why: 'Only proxies at http:// and https:// addresses can be used, not SOCKS.',
    next: 'Name an HTTP proxy in HTTP_PROXY and HTTPS_PROXY.',
  },
  PROXY_INVALID: {
    why: 'Its address in the environment is not a URL.',
    next: 'Correct HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, for example to http://HOST:PORT',
  },
};

/** Why a certificate is not trusted, by the code of OpenSSL or Node. */
const untrustedFor: Readonly<Record<string, (certificate: Certificate, url: URL) => string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: () => 'It is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: ({ issuer }) =>
    `It was issued by an authority that is not known here: ${issuer}.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ({ issuer }) =>
    `It was issued by an authority that is not known here, or the server does not send the certificates between: ${issuer}.`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ({ issuer }) =>
    `It was issued by an authority that is not known here: ${issuer}.`,
  CERT_HAS_EXPIRED: ({ validTo }) => `It was valid until ${validTo}.`,
  CERT_NOT_YET_VALID: ({ validFrom }) => `It is valid only from ${validFrom}.`,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ subject, altNames }, { hostname }) =>
    `It is for ${altNames ?? subject}, not for ${hostname}.`,
};

function untrusted({ code, message }: HttpFailure, certificate: Certificate, url: URL): Explanation {
  return {
    what: `The certificate of ${url.host} is not trusted. Nothing was sent.`,
    why: untrustedFor[code]?.(certificate, url) ?? message,
    next: isLoopback(url)
      ? 'If it is your server: accept this certificate, or choose the file of its authority (CA file) in the server settings.'
      : 'Ask the administrator of the server for the SHA-256 fingerprint, compare it, and enter it in the server settings; or choose the file of its authority there (CA file).',
  };
}

const certificateLines = ({ subject, issuer, validFrom, validTo, altNames, fingerprint }: Certificate) => [
  `subject: ${subject}`,
  `issuer: ${issuer}`,
  `names: ${altNames ?? 'none'}`,
  `valid: ${validFrom} to ${validTo}`,
  `SHA-256: ${fingerprint}`,
];

/** How OpenSSL and BoringSSL report that the other side does not speak TLS. */
const answersPlainly =
  /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|wrong version number|packet length too long/;

/** Alerts about the certificate of a client (RFC 8446 section 6.2). */
const wantsCertificate =
  /ALERT_(CERTIFICATE|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE|UNSUPPORTED_CERTIFICATE)/;

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`;
