import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { AuthorizationFields } from './authorization-fields.tsx';

afterEach(cleanup);

/** The fields, and what the user changed so far. */
function showFields(settings: Partial<AuthorizationSettings> = {}) {
  const changes: Partial<AuthorizationSettings>[] = [];
  const view = (own: Partial<AuthorizationSettings>) => (
    <AuthorizationFields
      settings={{ ...defaultAuthorization, ...own }}
      serverUrl="https://user:secret@mcp.example/mcp?api_key=secret#part"
      onChange={(change) => changes.push(change)}
      onWriteDocument={() => Promise.resolve('')}
    />
  );
  const { rerender } = render(view(settings));
  return { changes, rerender: (own: Partial<AuthorizationSettings>) => rerender(view(own)) };
}

const choice = () => screen.getByLabelText('Authorization server is');

test('choosing a provider fills in what it needs, and says what and from where', async () => {
  const { changes, rerender } = showFields({ dropped: ['nonce'] });
  await userEvent.selectOptions(choice(), 'Microsoft Entra ID');
  expect(changes).toEqual([
    {
      knownProvider: 'entra',
      registration: 'pre-registered',
      dropped: ['nonce', 'resource'],
      assumesPkce: true,
      redirect: { host: 'localhost', port: null, path: '/callback' },
    },
  ]);
  rerender(changes[0] ?? {});
  const note = screen.getByRole('note', { name: 'Known provider' });
  expect(note.textContent).toContain('Enter the client ID of an app registration');
  expect(within(note).getByText('Entra rejects resource')).toBeDefined();
  expect(note.textContent).toContain('Read on 2026-11-28');
  const neverSent = within(screen.getByRole('group', { name: 'Never send' }));
  expect(neverSent.getByRole<HTMLInputElement>('checkbox', { name: /^resource/ }).checked).toBe(true);
});

test('the audience of Auth0 is the URL of the server without its secrets', async () => {
  const { changes } = showFields();
  await userEvent.selectOptions(choice(), 'Auth0');
  expect(changes).toEqual([
    { knownProvider: 'auth0', extra: [{ name: 'audience', value: 'https://mcp.example/mcp' }] },
  ]);
});

test('taking the choice back leaves what was filled in', async () => {
  const { changes } = showFields({ knownProvider: 'google' });
  await userEvent.selectOptions(choice(), 'Recognized by its addresses');
  expect(changes).toEqual([{ knownProvider: null }]);
});

test('PKCE without being advertised is a setting, with what it means', async () => {
  const { changes } = showFields();
  await userEvent.click(screen.getByRole('checkbox', { name: 'Use PKCE where it is not advertised' }));
  expect(changes).toEqual([{ assumesPkce: true }]);
});
