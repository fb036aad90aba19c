import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { beginOnSession, choose, detail, rowWith, selectedText, showTab } from '#fixtures/page/trace-dock.ts';
import {
  aCallOverHttp,
  anHttpRow,
  factsOf,
  showCall,
  aCertificate,
  aConnection,
  anExchange,
  aResponse,
} from '#fixtures/page/trace-exchanges.tsx';
import { engine, grow, reset } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from '../trace-dock.tsx';

beginOnSession();

test('shows request and response as on the wire: lines in order and case, duplicates apart', async () => {
  showCall();
  await choose('tools/call');
  await showTab('HTTP');
  await within(detail()).findByText('http://127.0.0.1:3000/mcp');
  expect(await factsOf('Request')).toEqual([
    'Host: 127.0.0.1:3000',
    'content-type: application/json',
    'Authorization: Bearer 40 chars · 1a2b3c4d',
  ]);
  expect(within(detail()).getByText('200 OK').className).toContain('text-in');
  expect(await factsOf('Response')).toEqual([
    'Content-Type: application/json',
    'Set-Cookie: a=1',
    'Set-Cookie: b=2',
  ]);
});

test('a replaced secret is a chip that says so', async () => {
  showCall();
  await choose('POST');
  const chip = await within(detail()).findByTitle(/^header:Authorization is secret and was not recorded/);
  expect(within(chip).getByRole('img', { name: 'secret' })).toBeTruthy();
  expect(detail().textContent).not.toContain('[secret');
});

test('the id of the session is hidden in both heads until a click', async () => {
  const user = userEvent.setup();
  const exchange = anExchange();
  const sent: [string, string][] = [...exchange.request.headers, ['Mcp-Session-Id', 'c0ffee-1']];
  showCall(
    anExchange({
      request: { ...exchange.request, headers: sent },
      responses: [aResponse({ headers: [['mcp-session-id', 'c0ffee-1']] })],
    }),
  );
  await choose('POST');
  const request = await screen.findByRole('region', { name: 'Request' });
  const response = await screen.findByRole('region', { name: 'Response' });
  expect(detail().textContent).not.toContain('c0ffee');
  await user.click(within(request).getByRole('button', { name: 'Show the Mcp-Session-Id' }));
  expect(request.textContent).toContain('c0ffee-1');
  expect(response.textContent).not.toContain('c0ffee');
});

test('headers are copied one by one, or whole as text', async () => {
  const user = userEvent.setup();
  showCall();
  await user.click(await rowWith('POST'));
  await user.click(await screen.findByRole('button', { name: 'Copy content-type' }));
  await screen.findByRole('button', { name: 'Copied' });
  expect(await navigator.clipboard.readText()).toBe('application/json');
  await user.click(screen.getByRole('button', { name: 'Copy the response’s head' }));
  await waitFor(async () =>
    expect(await navigator.clipboard.readText()).toBe(
      'HTTP/1.1 200 OK\nContent-Type: application/json\nSet-Cookie: a=1\nSet-Cookie: b=2\n',
    ),
  );
});

test('a header that tries to hide or to be markup is shown as text', async () => {
  showCall(
    anExchange({
      responses: [
        aResponse({
          headers: [
            ['X-Bad', '<img src=x>\u202e\u001b[31m'],
            ['X-Empty', ''],
          ],
        }),
      ],
    }),
  );
  await choose('POST');
  expect(await factsOf('Response')).toEqual(['X-Bad: <img src=x>[U+202E][ESC][31m', 'X-Empty: empty']);
  expect(detail().querySelector('img')).toBeNull();
});

test('says where the time went, in milliseconds to the microsecond', async () => {
  showCall();
  await choose('POST');
  expect(await factsOf('Timing')).toEqual([
    'Queued: 0.200 ms',
    'Lookup: 0.200 ms',
    'Connect: 0.500 ms',
    'Wait: 2.100 ms',
    'Body: 1.000 ms',
    'Total: 4.000 ms',
  ]);
});

test('says that a connection was open already', async () => {
  showCall(anExchange({ connected: aConnection({ reused: true, took: {} }) }));
  await choose('POST');
  expect((await factsOf('Timing')).slice(0, 2)).toEqual(['Queued: 0.900 ms', 'Wait: 2.100 ms']);
  expect(await factsOf('Connection')).toEqual(['Server: 127.0.0.1:3000', 'Connection: reused']);
});

test('an exchange that is open is shown as far as it came, and on as it goes on', async () => {
  reset(
    aCallOverHttp
      .slice(0, 2)
      .map((row) => ({ ...row, status: 'pending' as const, code: null, duration: null })),
  );
  engine.exchanges.set(0, anExchange({ connected: null, responses: [], end: null }));
  render(<TraceDock />);
  await choose('POST');
  await within(detail()).findByText('Not yet.');
  expect(await factsOf('Timing')).toEqual(['Connecting: ongoing']);

  engine.exchanges.set(0, anExchange({ end: null }));
  grow([anHttpRow({ row: 0, status: 'receiving', duration: null })]);
  await within(detail()).findByText('200 OK');
  expect((await factsOf('Timing')).at(-1)).toBe('Body: ongoing');

  // What it carries comes after it, and leaves its own row as it is.
  grow([aRow({ row: 2, summary: '1 / 2', exchange: 0 })]);
  await waitFor(() => expect(screen.getByLabelText('Rows it carried').textContent).toContain('1 / 2'));
  engine.exchanges.set(0, anExchange());
  grow([anHttpRow({ row: 0 })]);
  await waitFor(async () => expect((await factsOf('Timing')).at(-1)).toBe('Total: 4.000 ms'));
});

test('a failure says at which step it happened, and shows the certificate that was refused', async () => {
  showCall(
    anExchange({
      connected: null,
      responses: [],
      end: {
        seq: 3,
        at: 22_000,
        kind: 'http-end',
        exchange: 1,
        how: 'failed',
        size: 0,
        failure: {
          step: 'tls',
          code: 'CERT_HAS_EXPIRED',
          message: 'certificate has expired',
          certificate: aCertificate({ validTo: '2025-12-01T00:00:00.000Z' }),
        },
      },
    }),
  );
  await choose('POST');
  const note = await within(detail()).findByRole('note');
  expect(note.textContent).toContain('The TLS handshake failed.');
  expect(note.textContent).toContain('it has expired');
  expect(note.textContent).toContain('CERT_HAS_EXPIRED: certificate has expired');
  expect(await factsOf('Certificate')).toContain('Valid to: 2025-12-01 00:00:00 UTC expired');
  expect(await factsOf('Timing')).toEqual(['TLS: 21.000 ms', 'Total: 21.000 ms']);
  within(detail()).getByText('None.');
});

test('shows what TLS agreed on, and that the user accepted a certificate nobody vouches for', async () => {
  const tls = {
    protocol: 'TLSv1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
    certificate: aCertificate(),
    untrusted: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  };
  showCall(
    anExchange({
      connected: aConnection({ proxy: 'http://proxy.example:3128', remote: '10.0.0.1:3128', tls }),
    }),
  );
  await choose('POST');
  expect(await factsOf('TLS')).toEqual([
    'Protocol: TLSv1.3',
    'Cipher: TLS_AES_256_GCM_SHA384',
    'Trusted: no, it is self-signed: DEPTH_ZERO_SELF_SIGNED_CERT. You accepted it',
    'Subject: CN=localhost',
    'Issuer: CN=localhost',
    'Names: DNS:localhost, IP Address:127.0.0.1',
    'Valid from: 2025-06-01 00:00:00 UTC',
    'Valid to: 2026-06-01 00:00:00 UTC',
    'SHA-256: AB:CD:EF',
  ]);
  expect(await factsOf('Connection')).toEqual([
    'Proxy’s address: 10.0.0.1:3128',
    'Through proxy: http://proxy.example:3128',
    'Connection: new',
  ]);
});

test('interim responses stand before the final one, trailers after it', async () => {
  const interim = aResponse({
    seq: 9,
    at: 2500,
    status: 103,
    reason: 'Early Hints',
    interim: true,
    headers: [['Link', '</a>']],
  });
  const end = { ...anExchange().end!, trailers: [['X-Sum', '1'] as [string, string]] };
  showCall(anExchange({ responses: [interim, aResponse()], end }));
  await choose('POST');
  await within(detail()).findByText('103 Early Hints');
  expect(await factsOf('Interim response')).toEqual(['Link: </a>']);
  expect(await factsOf('Trailers')).toEqual(['X-Sum: 1']);
  const titles = within(detail())
    .getAllByRole('heading')
    .map(({ textContent }) => textContent);
  expect(titles.slice(0, 4)).toEqual([
    'Request3 headers',
    'Interim response1 header',
    'Response3 headers',
    'Trailers1 header',
  ]);
});

test('the exchanges of a redirect lead to each other', async () => {
  reset([
    anHttpRow({ row: 0, code: 308, summary: '/old' }),
    anHttpRow({ row: 1, summary: '/new', parent: 0 }),
  ]);
  engine.exchanges.set(0, anExchange());
  engine.exchanges.set(1, anExchange());
  render(<TraceDock />);
  await choose('/old');
  await userEvent.click(await within(detail()).findByRole('button', { name: 'Redirected to 1 row' }));
  await userEvent.click(within(detail()).getByRole('button', { name: /^#2/ }));
  await within(detail()).findByText(/redirected from/);
  await userEvent.click(within(detail()).getByRole('button', { name: 'Row #1 of the trace' }));
  await waitFor(() => expect(selectedText()).toContain('/old'));
});

test('the rows an exchange carried are links, and the one on screen is marked', async () => {
  showCall();
  await choose('response');
  await showTab('HTTP');
  const carried = within(await screen.findByLabelText('Rows it carried'));
  expect(carried.getAllByRole('button').map((row) => row.getAttribute('aria-current'))).toEqual([
    null,
    null,
    'true',
  ]);
  await userEvent.click(carried.getByRole('button', { name: /tools\/call/ }));
  await waitFor(() => expect(selectedText()).toContain('tools/call'));
  // The way to look is kept from row to row.
  await screen.findByLabelText('Rows it carried');
});

test('a folded part stays folded from row to row', async () => {
  showCall();
  await choose('POST');
  const heading = () => screen.findByRole('button', { name: /^Request/ });
  await userEvent.click(await heading());
  expect(within(detail()).queryByText('Host')).toBeNull();
  await choose('tools/call');
  await showTab('HTTP');
  expect((await heading()).getAttribute('aria-expanded')).toBe('false');
  await userEvent.click(await heading());
  await within(detail()).findByText('Host');
});
