import { isIP, type Socket } from 'node:net';
import * as tls from 'node:tls';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { TlsFacts, Certificate } from '#shared/trace/record.ts';
import { StepError } from './http-step-failure.ts';

/** PEM texts, and the fingerprint of an accepted untrusted certificate. */
export interface TlsOptions {
  /** Certificate authorities to trust in addition to the default ones. */
  readonly ca?: string;
  /** Our own certificate and its key. */
  readonly cert?: string;
  readonly key?: string;
  /** SHA-256 fingerprint of the one untrusted certificate to accept. */
  readonly accepted: string | null;
}

/** Trusted authorities and our own certificate, shared by all connections because preparing them is slow. */
export class TlsIdentity {
  readonly accepted: string | null;
  readonly #options: TlsOptions;
  #toServer: tls.SecureContext | undefined;
  #toProxy: tls.SecureContext | undefined;

  constructor(options: TlsOptions) {
    this.#options = options;
    this.accepted = options.accepted;
  }

  /** The TLS settings for a server or a proxy. Our own certificate is sent only to servers. */
  contextFor(peer: 'server' | 'proxy'): tls.SecureContext {
    const { cert, key } = this.#options;
    const trusted = () => trustedAuthorities(this.#options.ca);
    if (peer === 'proxy') {
      this.#toProxy ??= tls.createSecureContext(trusted());
      return this.#toProxy;
    }
    this.#toServer ??= tls.createSecureContext({
      ...trusted(),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    });
    return this.#toServer;
  }
}

/**
 * Starts TLS on a connection. Sends no byte of a request to a server whose certificate is not accepted.
 *
 * @param host the name or address that the certificate must match; without brackets
 * @param complete waits until the handshake is done, and rejects when it fails
 * @throws StepError if the certificate is not accepted
 */
export async function beginTls(
  tcp: Socket,
  host: string,
  identity: TlsIdentity,
  peer: 'server' | 'proxy',
  complete: (socket: tls.TLSSocket) => Promise<void>,
): Promise<{ socket: tls.TLSSocket; facts: TlsFacts }> {
  const socket = tls.connect({
    socket: tcp,
    host,
    // An IP address is not a valid server name (RFC 6066 section 3).
    servername: isIP(host) === 0 ? host : '',
    secureContext: identity.contextFor(peer),
    // We decide below: Node's error would not include the certificate.
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
  await complete(socket);
  const facts = tlsFacts(socket);
  const { certificate, untrusted } = facts;
  if (untrusted === undefined || isAccepted(facts, identity.accepted)) return { socket, facts };
  const message = wrongNameReason(socket, host, untrusted) ?? `the certificate is not trusted: ${untrusted}`;
  socket.destroy();
  throw new StepError({ step: 'tls', code: untrusted, message, ...(certificate && { certificate }) });
}

const isAccepted = ({ certificate }: TlsFacts, accepted: string | null): boolean =>
  certificate !== undefined && accepted !== null && isSameFingerprint(certificate.fingerprint, accepted);

const wrongNameReason = (socket: tls.TLSSocket, host: string, untrusted: string): string | null =>
  untrusted === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? (tls.checkServerIdentity(host, socket.getPeerCertificate())?.message ?? null)
    : null;

/** The authorities to trust: an additional one, and the default ones, of which Node 20 cannot list all. */
function trustedAuthorities(additional: string | undefined): { ca?: string[] } {
  if (additional === undefined) return {};
  const usual =
    typeof tls.getCACertificates === 'function' ? tls.getCACertificates('default') : tls.rootCertificates;
  return { ca: [...usual, additional] };
}

/** The result of a handshake, with the server's certificate. */
function tlsFacts(socket: TLSSocket): TlsFacts {
  const certificate = certificateFacts(socket.getPeerCertificate());
  return {
    protocol: socket.getProtocol() ?? 'unknown',
    cipher: socket.getCipher().standardName,
    ...(certificate !== null && { certificate }),
    ...(!socket.authorized && { untrusted: untrustedReason(socket) }),
  };
}

/** Whether two fingerprints are equal, ignoring separators and case. */
const isSameFingerprint = (one: string, other: string): boolean => hexOf(one) === hexOf(other);

const hexOf = (fingerprint: string): string => fingerprint.replaceAll(/[^0-9a-f]/gi, '').toLowerCase();

/** Why a certificate is not trusted. At run time `authorizationError` is a code, not an Error as it is typed. */
function untrustedReason(socket: TLSSocket): string {
  const why: unknown = socket.authorizationError;
  return systemCodeOf(why) ?? messageOf(why);
}

/** The certificate of the server; null if it sent none, because the object is then empty, unlike its type. */
function certificateFacts(shown: Partial<PeerCertificate>): Certificate | null {
  const { fingerprint256, subject, issuer, valid_from, valid_to, subjectaltname } = shown;
  if (fingerprint256 === undefined) return null;
  return {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    validFrom: timeOf(valid_from),
    validTo: timeOf(valid_to),
    ...(subjectaltname !== undefined && { altNames: subjectaltname }),
    fingerprint: fingerprint256,
  };
}

const nameOf = (name: object = {}): string =>
  Object.entries(name)
    .map(([attribute, value]) => `${attribute}=${String(value)}`)
    .join(', ');

function timeOf(text = ''): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}
