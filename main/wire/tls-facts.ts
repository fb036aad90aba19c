import type { PeerCertificate, TLSSocket } from 'node:tls';
import { messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { Certificate, TlsFacts } from '#shared/trace/record.ts';

/** What was agreed in a handshake, and the certificate shown in it. */
export function tlsFacts(socket: TLSSocket): TlsFacts {
  const certificate = certificateFacts(socket.getPeerCertificate());
  return {
    protocol: socket.getProtocol() ?? 'unknown',
    cipher: socket.getCipher().standardName,
    ...(certificate !== null && { certificate }),
    ...(!socket.authorized && { untrusted: whyUntrusted(socket) }),
  };
}

/** Whether two fingerprints are of the same certificate, however they are written. */
export const isSameFingerprint = (one: string, other: string): boolean => hexOf(one) === hexOf(other);

const hexOf = (fingerprint: string): string => fingerprint.replaceAll(/[^0-9a-f]/gi, '').toLowerCase();

/** At run time it is a code and no error, unlike what its type says. */
function whyUntrusted(socket: TLSSocket): string {
  const why: unknown = socket.authorizationError;
  return systemCodeOf(why) ?? messageOf(why);
}

/** Null when none was shown: then the object is empty, unlike what its type says. */
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
