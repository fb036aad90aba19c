import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { Encryption } from './encryption.tsx';

afterEach(cleanup);

test.each([
  ['https://example.com/mcp', false, 'TLS', /an authority that is trusted/],
  ['https://localhost:3000/mcp', true, 'TLS, accepted', /You accepted the certificate/],
  ['http://127.0.0.1:3000/mcp', false, 'plain', /does not leave this machine/],
  ['http://[::1]:3000/mcp', false, 'plain', /does not leave this machine/],
  ['http://192.168.1.7/mcp', false, 'plain, not encrypted', /anyone on the network path/],
  ['https://${input:host}/mcp', false, 'TLS', /an authority that is trusted/],
  ['http://${input:host}/mcp', false, 'plain, not encrypted', /anyone on the network path/],
  ['http://127.0.0.1:${input:port}/mcp', false, 'plain, not encrypted', /anyone on the network path/],
  ['${input:baseUrl}/mcp', false, 'depends on a variable', /have values/],
  ['http://localhost.example.com/mcp', false, 'plain, not encrypted', /anyone on the network path/],
])('%s, certificate accepted by the user: %s, is marked "%s"', async (url, isAccepted, label, means) => {
  render(<Encryption url={url} isAccepted={isAccepted} />);
  const user = userEvent.setup();
  await user.tab();
  expect(document.activeElement?.textContent).toBe(label);
  expect((await screen.findByRole('tooltip')).textContent).toMatch(means);
});
