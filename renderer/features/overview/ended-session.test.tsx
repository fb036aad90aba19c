import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useAttempts } from '#model/connection.ts';
import { useSelection } from '#model/selection.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#fixtures/page/samples.ts';
import type { Remedy } from '#shared/contract/sessions.ts';
import { Ended } from './ended-session.tsx';

beforeEach(() => useAttempts.setState({}, true));
afterEach(cleanup);

function show(...remedies: readonly Remedy[]) {
  const engine = fakeEngine({
    'sessions/open': () => ({ outcome: 'opened', session: aSession() }),
  });
  const fault = { code: 'revision', what: 'The server speaks another revision.' };
  render(
    <Ended
      session={aSession({ phase: 'failed', fault, remedies: [...remedies] })}
      action={<i>Reconnect</i>}
    />,
  );
  return { user: userEvent.setup(), opened: () => engine.asked('sessions/open') };
}

test('connects with a revision that the server supports', async () => {
  const { user, opened } = show(
    { kind: 'revision', revision: '2025-06-18' },
    { kind: 'revision', revision: '2024\u202e' },
  );
  expect(screen.getByRole('button', { name: 'Connect with 2024[U+202E]' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Connect with 2025-06-18' }));
  expect(opened()).toEqual([{ serverId: 'v1', revision: '2025-06-18' }]);
});

test('goes on with a revision nobody knows', async () => {
  const { user, opened } = show({ kind: 'any-revision', revision: '2027-01-01' });
  await user.click(screen.getByRole('button', { name: 'Continue with 2027-01-01 anyway' }));
  expect(opened()).toEqual([{ serverId: 'v1', anyRevision: true }]);
});

test('accepts a certificate only after its subject and fingerprint were shown', async () => {
  const fingerprint = 'AB:CD:EF';
  const { user, opened } = show({ kind: 'accept-certificate', fingerprint, subject: 'CN=localhost' });
  await user.click(screen.getByRole('button', { name: 'Accept this certificate…' }));
  const question = await screen.findByRole('dialog', { name: 'Accept this certificate?' });
  expect(question.textContent).toContain('CN=localhost');
  expect(question.textContent).toContain(fingerprint);
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(opened()).toEqual([]);

  await user.click(screen.getByRole('button', { name: 'Accept this certificate…' }));
  await user.click(await screen.findByRole('button', { name: 'Accept and connect' }));
  expect(opened()).toEqual([{ serverId: 'v1', acceptCertificate: fingerprint }]);
});

test('of another machine the certificate is shown, and its fingerprint is entered in the settings', async () => {
  const fingerprint = 'AB:CD:EF';
  const { user, opened } = show({
    kind: 'compare-certificate',
    fingerprint,
    subject: 'CN=mcp.example.com',
    issuer: 'CN=Example CA',
  });
  const certificate = screen.getByRole('region', { name: 'Certificate of the server' });
  expect(certificate.textContent).toContain('CN=mcp.example.com');
  expect(certificate.textContent).toContain('CN=Example CA');
  expect(certificate.textContent).toContain(fingerprint);
  expect(certificate.textContent).toContain('the administrator of the server gives you');
  expect(screen.queryByRole('button', { name: /accept/i })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Enter a fingerprint…' }));
  expect(useSelection.getState().editor).toEqual({ serverId: 'v1', part: 'certificate' });
  expect(opened()).toEqual([]);
});
