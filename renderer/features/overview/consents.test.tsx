import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { useApprovals } from '#model/servers.ts';
import { useSettings } from '#model/settings.ts';
import { type Answers, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aServer } from '#fixtures/page/samples.ts';
import { defaultClientProfile, plainHttpSettings, type Server } from '#shared/contract/servers.ts';
import { defaultSettings, type Settings } from '#shared/contract/settings.ts';
import { Consents } from './consents.tsx';

beforeEach(() => {
  useSettings.setState(defaultSettings);
  useApprovals.setState({ approvals: [] });
});
afterEach(cleanup);

const writes: Answers = {
  'settings/write': (changes) => ({ ...useSettings.getState(), ...(changes as Partial<Settings>) }),
};

function show(server: Server) {
  render(<Consents server={server} />);
  return within(screen.getByRole('region', { name: 'Consents' }));
}
const lines = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent);

test('a server that was allowed nothing says what it may ask for', () => {
  fakeEngine({});
  show(aServer({ client: { ...defaultClientProfile, rules: [] } }));
  expect(lines()).toEqual(['May ask for: everything that the revision hasChange…']);
});

test('command lines and tools that run without a question are listed and revoked', async () => {
  const engine = fakeEngine({ ...writes, 'approvals/revoke': () => null });
  const server = aServer();
  const launch = {
    command: 'node',
    args: ['a b.js'],
    cwd: '/',
    env: [],
    inherit: 'safe',
    resolved: null,
  } as const;
  const sent = { origin: 'https://api.example', variables: [{ variable: '${env:TOKEN}', places: ['URL'] }] };
  useApprovals.setState({
    approvals: [
      { id: 'one', launch: { ...launch, args: [...launch.args], env: [] }, at: 0, serverIds: [server.id] },
      { id: 'two', launch: { ...launch, args: [], env: [] }, at: 0, serverIds: ['other'] },
      { id: 'three', sent, at: 0, serverIds: [server.id] },
    ],
  });
  const others = { serverId: 'other', tool: 'erase' };
  useSettings.setState({ allowedTools: [{ serverId: server.id, tool: 'erase' }, others] });
  const section = show(server);
  expect(lines()).toContain("Runs without a question: node 'a b.js'Revoke");
  expect(lines()).toContain('Runs without a question: the tool eraseAsk again');
  expect(lines()).toContain('Sent without a question: ${env:TOKEN} to https://api.exampleRevoke');
  for (const button of section.getAllByRole('button', { name: 'Revoke' })) await userEvent.click(button);
  expect(engine.asked('approvals/revoke')).toEqual([{ id: 'one' }, { id: 'three' }]);
  await userEvent.click(section.getByRole('button', { name: 'Ask again' }));
  expect(engine.asked('settings/write')).toEqual([{ allowedTools: [others] }]);
});

test('a trusted certificate is revoked with the settings of its server', async () => {
  const http = plainHttpSettings('https://example.com/mcp');
  const server = aServer({ transport: { ...http, tls: { ...http.tls, accepted: 'AA:BB' } } });
  const engine = fakeEngine({ 'servers/save': () => server });
  const section = show(server);
  await userEvent.click(section.getByRole('button', { name: 'Revoke' }));
  expect(engine.asked('servers/save')).toMatchObject([
    { id: server.id, settings: { transport: { tls: { accepted: null } } } },
  ]);
});

test('roots, answers without a question and capabilities lead to the client profile', async () => {
  fakeEngine({});
  const roots = [{ uri: 'file:///work', name: null }];
  const section = show(
    aServer({ client: { ...defaultClientProfile, roots, capabilities: { sampling: {} } } }),
  );
  expect(lines()).toEqual([
    'Told about 1 root: file:///workChange…',
    'Answered without a question: roots/listChange…',
    'May ask for: samplingChange…',
  ]);
  await userEvent.click(section.getAllByRole('button', { name: 'Change…' })[0] ?? document.body);
  expect(useSelection.getState().editor).toMatchObject({ part: 'client' });
});

test('says which runs of tools are confirmed, and changes it for this server alone', async () => {
  const engine = fakeEngine(writes);
  const server = aServer();
  useSettings.setState({ toolConfirmations: [{ serverId: 'other', level: 'first-run' }] });
  const section = show(server);
  const level = section.getByRole('combobox', { name: 'Confirm runs of' });
  expect(level).toHaveProperty('value', 'destructive');
  expect(section.getByText(/destructiveHint: true/)).toBeTruthy();
  await userEvent.selectOptions(level, 'Never (I trust this server)');
  expect(engine.asked('settings/write')).toEqual([
    {
      toolConfirmations: [
        { serverId: 'other', level: 'first-run' },
        { serverId: server.id, level: 'never' },
      ],
    },
  ]);
  expect(level).toHaveProperty('value', 'never');
});
