import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { aParameter, aStep } from '#fixtures/page/authorization-samples.ts';
import { AnswerTab } from './answer-tab.tsx';
import { ParameterList } from './parameter-list.tsx';

afterEach(cleanup);

const list = (names: readonly string[]) =>
  render(
    <ParameterList
      label="Query parameters"
      parameters={names.map((name) => aParameter(name, 'x'))}
      place="authorization-request"
      given={[]}
      isEditable={false}
      onChange={() => undefined}
      reveal={null}
      onRow={() => undefined}
      wrongName={null}
      menuOf={() => null}
    />,
  );

test('each parameter says by keyboard what it is for, and which section defines it', async () => {
  list(['code_challenge', 'domain_hint']);
  const user = userEvent.setup();
  await user.tab();
  expect(document.activeElement?.textContent).toBe('code_challenge');
  const known = await screen.findByRole('tooltip');
  expect(known.textContent).toMatch(/^code_challenge: The hash of the code verifier.*RFC 7636 4\.3$/);
  expect(document.activeElement?.getAttribute('aria-describedby')).toBe(known.id);
  await user.tab();
  expect((await screen.findByRole('tooltip')).textContent).toBe(
    'domain_hint: not registered (IANA OAuth parameters)',
  );
});

test('a name of a server is text, with what nobody would see made visible', async () => {
  list(['<b>a\u202e</b>']);
  await userEvent.tab();
  const tip = await screen.findByRole('tooltip');
  expect(tip.querySelector('b')).toBeNull();
  expect(tip.textContent).not.toContain('\u202e');
});

test('the parameters of a challenge and the members of metadata are explained', async () => {
  const headers: [string, string][] = [
    ['WWW-Authenticate', 'Bearer resource_metadata="https://a.test/x", odd="1"'],
  ];
  const body = JSON.stringify({ resource: 'https://a.test', authorization_servers: [], extra_thing: 1 });
  render(<AnswerTab step={aStep(1, 'resource-metadata', { response: { status: 200, headers, body } })} />);
  await userEvent.tab();
  const first = within(screen.getByRole('region', { name: 'Challenge 1' })).getByRole('button', {
    name: 'resource_metadata',
  });
  first.focus();
  expect((await screen.findByRole('tooltip')).textContent).toContain('RFC 9728 5.1');
  await userEvent.click(screen.getByText('What the members are for'));
  const names = within(screen.getByLabelText('Members explained'));
  const said = names.getAllByRole('definition').map(({ textContent }) => textContent);
  expect(said).toEqual([
    expect.stringMatching(/tokens are requested for it\. RFC 9728 2$/),
    expect.stringMatching(/The issuers whose tokens.*RFC 9728 2$/),
    'not registered (IANA OAuth parameters)',
  ]);
});

test('a body that is not a JSON object has nothing to explain', () => {
  for (const body of ['[1]', 'null', '{', '"text"', '']) {
    render(<AnswerTab step={aStep(1, 'token', { response: { status: 200, headers: [], body } })} />);
    expect(screen.queryByText('What the members are for')).toBeNull();
    cleanup();
  }
});
