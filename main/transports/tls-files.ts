import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readNamedText } from '#files/named-file.ts';
import { FaultError, messageOf } from '#shared/contract/fault.ts';
import type { TlsOptions } from './tls-handshake.ts';

/** The paths of the PEM files in the settings. */
interface TlsFiles {
  readonly caFile: string | null;
  readonly certFile: string | null;
  readonly keyFile: string | null;
  readonly accepted: string | null;
}

/**
 * Reads and validates the certificate files of a server.
 *
 * @throws FaultError naming the file and what is wrong with it
 */
export async function readTlsFiles(files: TlsFiles): Promise<TlsOptions> {
  const { caFile, certFile, keyFile, accepted } = files;
  const ca = caFile === null ? {} : { ca: await readCertificates(caFile, 'the certificate authorities') };
  return { accepted, ...ca, ...(await readOwn(certFile, keyFile)) };
}

/** Our own certificate and its key; one file may hold both. */
async function readOwn(
  certFile: string | null,
  keyFile: string | null,
): Promise<Pick<TlsOptions, 'cert' | 'key'>> {
  if (certFile === null) {
    if (keyFile === null) return {};
    throw new FaultError({
      code: 'tls-certificate-missing',
      what: 'There is a file for the key of the client certificate, but none for the certificate.',
      next: 'Choose the certificate file that belongs to it, or remove the key file.',
    });
  }
  const cert = await readCertificates(certFile, 'the client certificate');
  const path = keyFile ?? certFile;
  const text = keyFile === null ? cert : await readText(keyFile, 'the key of the client certificate');
  const key = readKey(text, path, keyFile === null);
  if (!new X509Certificate(cert).checkPrivateKey(key)) {
    throw new FaultError({
      code: 'tls-key-mismatch',
      what: `The key in ${path} does not belong to the certificate in ${certFile}.`,
      why: 'They were made at different times, or one of the files is of another certificate.',
      next: 'Choose the two files that were made together.',
    });
  }
  return { cert, key: text };
}

/** The text of a file of readable certificates. */
async function readCertificates(path: string, holding: string): Promise<string> {
  const text = await readText(path, holding);
  const blocks = text.match(/-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END/g) ?? [];
  try {
    if (blocks.length === 0) throw new Error('it holds no "BEGIN CERTIFICATE"');
    for (const block of blocks) void new X509Certificate(`${block} CERTIFICATE-----\n`);
    return text;
  } catch (error) {
    throw new FaultError({
      code: 'tls-certificate-invalid',
      what: `The file ${path} for ${holding} holds no certificate that can be read.`,
      why: messageOf(error),
      next: 'A PEM file is needed: text that begins with "-----BEGIN CERTIFICATE-----". For a DER file: openssl x509 -inform der -in FILE -out FILE.pem',
    });
  }
}

function readKey(text: string, path: string, isCertFile: boolean): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    const isMissing = !text.includes('PRIVATE KEY-----');
    const isEncrypted = /ENCRYPTED/.test(text);
    throw new FaultError({
      code: isEncrypted ? 'tls-key-encrypted' : 'tls-key-invalid',
      what: isEncrypted
        ? `The key in ${path} is protected by a passphrase.`
        : `The file ${path} holds no private key that can be read.`,
      why: isMissing ? 'It holds no "BEGIN PRIVATE KEY".' : messageOf(error),
      next: isEncrypted
        ? 'Save a copy without one: openssl pkey -in FILE -out FILE.plain'
        : isCertFile
          ? 'Choose the key file that belongs to the certificate.'
          : 'A PEM file is needed: text that begins with "-----BEGIN PRIVATE KEY-----".',
    });
  }
}

async function readText(path: string, holding: string): Promise<string> {
  try {
    return await readNamedText(path, 'PEM');
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const { what, why } = error.fault;
    throw new FaultError({
      code: 'tls-file-unreadable',
      what: `The file ${path} for ${holding} cannot be read.`,
      why: why === undefined ? what : `${what} ${why}`,
      next: 'Check the path and the permissions of the file in the server settings.',
    });
  }
}
