import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '#fixtures/http/certificates.ts';
import type { ServerIdentity } from '#fixtures/http/listen.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { readTlsFiles } from './tls-files.ts';

let folder: string;
let own: ServerIdentity;
let other: ServerIdentity;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-tls-'));
  own = await makeCertificate();
  other = await makeCertificate();
});
afterAll(() => rm(folder, { recursive: true }));

const none: Parameters<typeof readTlsFiles>[0] = {
  caFile: null,
  certFile: null,
  keyFile: null,
  accepted: null,
};

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function faultOf(files: Partial<typeof none>) {
  const error = await readTlsFiles({ ...none, ...files }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FaultError)) throw new Error('no fault');
  return error.fault;
}

test('without files there is nothing but what is accepted', async () => {
  expect(await readTlsFiles({ ...none, accepted: 'AA:BB' })).toEqual({ accepted: 'AA:BB' });
});

test('the texts of all files are read, of a bundle of authorities each', async () => {
  const caFile = await file('ca.pem', `# two\n${own.cert}\n${other.cert}`);
  const certFile = await file('cert.pem', own.cert);
  const keyFile = await file('key.pem', own.key);
  const read = await readTlsFiles({ caFile, certFile, keyFile, accepted: null });
  expect(read).toEqual({
    accepted: null,
    ca: `# two\n${own.cert}\n${other.cert}`,
    cert: own.cert,
    key: own.key,
  });
});

test('one file may hold the certificate and its key', async () => {
  const certFile = await file('both.pem', own.key + own.cert);
  expect(await readTlsFiles({ ...none, certFile })).toMatchObject({ key: own.key + own.cert });
});

test('each file that is wrong is named, with how', async () => {
  const missing = join(folder, 'no-such-file.pem');
  const certFile = await file('cert.pem', own.cert);
  const keyFile = await file('key.pem', own.key);
  const otherKey = await file('other-key.pem', other.key);
  const noPem = await file('no.pem', 'certificate');
  const broken = await file('broken.pem', `${own.cert}${own.cert.replace(/[A-Za-z0-9]{20}/, 'AAAA')}`);
  const locked = createPrivateKey(own.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  });
  const lockedKey = await file('locked.pem', locked.toString());
  const wrong: [Partial<Record<keyof typeof none, string>>, string, string][] = [
    [{ caFile: missing }, 'tls-file-unreadable', missing],
    [{ caFile: noPem }, 'tls-certificate-invalid', noPem],
    [{ caFile: broken }, 'tls-certificate-invalid', broken],
    [{ caFile: keyFile }, 'tls-certificate-invalid', keyFile],
    [{ keyFile }, 'tls-certificate-missing', 'certificate'],
    [{ certFile }, 'tls-key-invalid', certFile],
    [{ certFile, keyFile: noPem }, 'tls-key-invalid', noPem],
    [{ certFile, keyFile: lockedKey }, 'tls-key-encrypted', lockedKey],
    [{ certFile, keyFile: otherKey }, 'tls-key-mismatch', otherKey],
  ];
  for (const [files, code, named] of wrong) {
    const fault = await faultOf(files);
    expect(fault).toMatchObject({ code, next: expect.any(String) });
    expect(fault.what).toContain(named);
  }
});
