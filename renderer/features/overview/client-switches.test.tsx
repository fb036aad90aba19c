import { act, cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anAgreement, aServer, aSession } from '#fixtures/page/samples.ts';
import { plainHttpSettings, type Server } from '#shared/contract/servers.ts';
import { switchesOff, type Switches } from '#shared/client-switches/switches.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { ActiveSwitches, useSectionState } from './active-switches.tsx';
import { ClientSwitches } from './client-switches.tsx';

let servers = 0;

/** The section of a new server with these switches, and the chip of the status bar. */
async function show(
  { switches = {}, ...server }: Partial<Server> & { switches?: Partial<Switches> } = {},
  change: Partial<SessionView> | null = null,
) {
  const id = `switched-${++servers}`;
  let kept: Switches = { ...switchesOff, ...switches };
  const engine = fakeEngine({
    'sessions/switches': () => kept,
    'sessions/set-switches': ({ switches: changed }) => {
      kept = changed;
      engine.emit('sessions/switches-changed', { serverId: id, switches: kept });
      return kept;
    },
  });
  render(
    <>
      <ClientSwitches
        server={aServer({ id, transport: plainHttpSettings('http://127.0.0.1:1/mcp'), ...server })}
        session={change && aSession({ serverId: id, transport: 'streamable-http', ...change })}
      />
      <ActiveSwitches serverId={id} />
    </>,
  );
  await screen.findByRole('region', { name: 'Client switches' });
  return { id, engine, user: userEvent.setup(), now: () => kept };
}

beforeEach(() => useSectionState.setState({ isOpen: {}, wanted: null }));
afterEach(cleanup);

const heading = () => screen.getByRole('button', { name: 'Client switches' });
const row = (name: string) => screen.getByRole('listitem', { name });
const choice = (of: string, name: string) => within(row(of)).getByRole('radio', { name });
const chip = () => screen.queryByRole('button', { name: /^bad client/ });

test('is closed and says so while the client breaks no rule', async () => {
  const { user } = await show();
  expect(heading().getAttribute('aria-expanded')).toBe('false');
  expect(screen.getByText('none active')).toBeTruthy();
  expect(chip()).toBeNull();
  await user.click(heading());
  expect(screen.getAllByRole('listitem')).toHaveLength(8);
});

test('a switch takes effect with one click, and the chip counts those that are on', async () => {
  const { user, now } = await show();
  await user.click(heading());
  await user.click(choice('Mcp-Session-Id', 'omit'));
  expect(now()).toEqual({ ...switchesOff, omitSessionId: true });
  expect(chip()?.textContent).toBe('bad client: 1 switch');
  await user.click(choice('Mcp-Method, Mcp-Name', 'disagree'));
  await user.click(choice('notifications/initialized', 'withhold'));
  expect(now()).toEqual({
    ...switchesOff,
    omitSessionId: true,
    standardHeaders: 'disagree',
    initialized: { how: 'withhold' },
  });
  expect(chip()?.textContent).toBe('bad client: 3 switches');

  await user.click(screen.getByRole('button', { name: 'Turn all off' }));
  expect(now()).toEqual(switchesOff);
  expect(chip()).toBeNull();
  // What the user is working in does not close under the pointer.
  expect(heading().getAttribute('aria-expanded')).toBe('true');
});

test('the chip leads to the section, which is open while a switch is on', async () => {
  const { id, user } = await show({ switches: { keepExpired: true } });
  expect(heading().getAttribute('aria-expanded')).toBe('true');
  await user.click(heading());
  useSelection.setState({ serverId: id, pane: 'tools' });
  await user.click(screen.getByRole('button', { name: 'bad client: 1 switch' }));
  expect(useSelection.getState().pane).toBe('overview');
  expect(heading().getAttribute('aria-expanded')).toBe('true');
  expect(document.activeElement).toBe(heading());
});

test('follows a change made elsewhere', async () => {
  const { id, engine } = await show();
  act(() =>
    engine.emit('sessions/switches-changed', {
      serverId: id,
      switches: { ...switchesOff, noStandingStream: true },
    }),
  );
  expect(chip()?.textContent).toBe('bad client: 1 switch');
});

test('members of _meta are validated while they are written and take effect once they are applied', async () => {
  const { user, now } = await show();
  await user.click(heading());
  await user.click(choice('_meta of each request', 'change'));
  const members = within(row('_meta of each request')).getByRole('textbox', { name: 'Members' });
  await user.clear(members);
  await user.type(members, '[[1]');
  expect(within(row('_meta of each request')).getByText('This must be a JSON object.')).toBeTruthy();
  await user.clear(members);
  await user.type(members, '{{"a":null');
  expect(members.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByRole('button', { name: 'Apply' })).toHaveProperty('disabled', true);
  await user.type(members, ',"b":1}');
  expect(now().meta).toEqual({ how: 'change', members: {} });
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  expect(now().meta).toEqual({ how: 'change', members: { a: null, b: 1 } });
});

test.each([
  [
    'notifications/initialized',
    'delay',
    'Delay',
    '0',
    '250',
    { initialized: { how: 'delay', milliseconds: 250 } },
  ],
  [
    'MCP-Protocol-Version',
    'replace',
    'Value of the header',
    'ü→',
    '2030-01-01',
    { versionHeader: { how: 'replace', value: '2030-01-01' } },
  ],
] as const)('the value of %s holds from Enter on', async (name, how, label, bad, good, held) => {
  const { user, now } = await show();
  await user.click(heading());
  await user.click(choice(name, how));
  const field = within(row(name)).getByRole('textbox', { name: label });
  await user.clear(field);
  await user.type(field, `${bad}{Enter}`);
  expect(field.getAttribute('aria-invalid')).toBe('true');
  await user.clear(field);
  await user.type(field, `${good}{Enter}`);
  expect(now()).toEqual({ ...switchesOff, ...held });
});

test('what has no effect here is out of reach and says why; what is on can be turned off', async () => {
  const { user, now } = await show(
    { switches: { omitSessionId: true } },
    {
      agreement: anAgreement({ era: 'modern', revision: '2026-07-28' }),
    },
  );
  expect(choice('notifications/initialized', 'withhold')).toHaveProperty('disabled', true);
  expect(row('notifications/initialized').textContent).toContain(
    'no effect here: the modern era has no handshake',
  );
  expect(choice('Mcp-Method, Mcp-Name', 'omit')).toHaveProperty('disabled', false);
  await user.click(choice('Mcp-Session-Id', 'send'));
  expect(now()).toEqual(switchesOff);
});

test.each([
  ['stdio has no headers', 'MCP-Protocol-Version', { transport: 'stdio' as const }],
  ['HTTP+SSE has no session ids', 'Mcp-Session-Id', { transport: 'http-sse' as const }],
  ['the legacy era has no such headers', 'Mcp-Method, Mcp-Name', {}],
])('%s', async (why, name, session) => {
  const { user } = await show({}, session);
  await user.click(heading());
  expect(row(name).textContent).toContain(why);
});
