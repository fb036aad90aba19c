import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { currentCommands } from '#model/commands.ts';
import { useSelection } from '#model/selection.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import {
  choose,
  detail,
  drawn,
  layOut,
  rowWith,
  selectedText,
  showSession,
  showTab,
  table,
} from './testing/dock.ts';
import { aCertificate, aConnection, anExchange, aResponse } from './testing/exchanges.ts';
import { engine, grow, reset, SESSION } from './testing/fake-bridge.ts';
import { aRow } from './testing/rows.ts';
import { TraceDock } from './trace-dock.tsx';
import { forgetViews } from './trace-views.ts';

vi.mock('#bridge', () => import('./testing/fake-bridge.ts'));

beforeAll(layOut);

beforeEach(() => {
  reset();
  forgetViews();
  showSession();
});

afterEach(cleanup);

const anHttpRow = (facts: Partial<TraceRow> = {}): TraceRow =>
  aRow({
    kind: 'http',
    direction: 'out',
    method: 'POST',
    summary: '/mcp',
    status: 'ok',
    code: 200,
    duration: 4000,
    exchange: facts.row ?? 0,
    ...facts,
  });

/** A call over HTTP: its exchange, the request, its progress and its answer. */
const aCall: TraceRow[] = [
  anHttpRow({ row: 0 }),
  aRow({
    row: 1,
    kind: 'request',
    direction: 'out',
    method: 'tools/call',
    summary: 'echo',
    id: '7',
    status: 'ok',
    exchange: 0,
    pair: 3,
  }),
  aRow({ row: 2, method: 'notifications/progress', summary: '1 / 2', exchange: 0, parent: 1 }),
  aRow({ row: 3, kind: 'result', method: 'tools/call', id: '7', status: 'ok', exchange: 0, pair: 1 }),
];

function showCall(exchange = anExchange()): void {
  reset(aCall);
  engine.exchanges.set(0, exchange);
  render(<TraceDock />);
}

/** Names and values of a part of the detail, line by line. */
const lines = async (name: string): Promise<string[]> => {
  const list = await screen.findByRole('region', { name });
  const texts = (role: string) =>
    within(list)
      .getAllByRole(role)
      .map(({ textContent }) => textContent);
  const values = texts('definition');
  return texts('term').map((term, place) => `${term}: ${values[place]}`);
};

const cells = async (text: string): Promise<string[]> =>
  within(await rowWith(text))
    .getAllByRole('gridcell')
    .map(({ textContent }) => textContent);

test('an exchange reads like a row of a network panel, with its status and why it is an error', async () => {
  reset([
    anHttpRow({ row: 0 }),
    anHttpRow({ row: 1, method: 'GET', status: 'receiving', summary: '/open', duration: null }),
    anHttpRow({ row: 2, status: 'error', code: 404, summary: '/gone' }),
    anHttpRow({ row: 3, status: 'failed', code: null, summary: '/failed' }),
    anHttpRow({ row: 4, status: 'failed', code: 200, summary: '/cut' }),
    anHttpRow({ row: 5, status: 'pending', code: null, summary: '/asked', duration: null }),
    anHttpRow({ row: 6, status: 'cancelled', code: 200, summary: '/dropped' }),
    anHttpRow({ row: 7, status: 'error', code: 499, summary: '/odd' }),
  ]);
  render(<TraceDock />);
  expect((await cells('/mcp')).slice(2)).toEqual(['→', 'POST', '/mcp', '', '200', '4.0 ms', '100 B', '', '']);
  expect(screen.getByText('200').title).toBe('200 OK');
  expect((await cells('/open'))[6]).toBe('200 open');
  expect(screen.getByText('404').title).toBe('404 Not Found');
  expect(screen.getByText('404').className).toContain('err');
  expect((await cells('/failed'))[6]).toBe('failed');
  expect((await cells('/cut'))[6]).toBe('200 cut');
  expect((await cells('/asked'))[6]).toBe('waiting');
  expect((await cells('/dropped'))[6]).toBe('dropped');
  expect(screen.getByText('499').title).toBe('499 Client Error');
});

test('what a stream or a body carried beside messages has words of its own', async () => {
  const carried = { exchange: 0 } as const;
  reset([
    anHttpRow({ row: 0 }),
    aRow({ row: 1, kind: 'sse', method: null, summary: ': keep-alive', ...carried }),
    aRow({ row: 2, kind: 'sse', method: null, summary: 'id: 41 · retry: 3000', ...carried }),
    aRow({ row: 3, kind: 'sse', method: null, summary: 'event ping: {}', ...carried }),
    aRow({ row: 4, kind: 'body', method: null, summary: '<!doctype html>', ...carried }),
    aRow({ row: 5, kind: 'switches', method: null, direction: null, summary: 'client switches: omit-id' }),
    aRow({
      row: 6,
      kind: 'noise',
      method: null,
      noise: 'not-json',
      status: 'invalid',
      summary: 'oops',
      ...carried,
    }),
    aRow({ row: 7, kind: 'noise', method: null, noise: 'not-json', status: 'invalid', summary: 'print' }),
  ]);
  render(<TraceDock />);
  await rowWith('POST');
  expect(drawn().map((row) => within(row).getAllByRole('gridcell')[3]?.textContent)).toEqual([
    'POST',
    'comment',
    'event id',
    'event',
    'body',
    'switches',
    'not JSON',
    'stdout noise',
  ]);
  await choose('not JSON');
  await within(detail()).findByText(/HTTP tab shows the status/);
  await choose('switches');
  await within(detail()).findByText('client switches: omit-id');
});

test('the messages of an exchange are marked as carried, and tinted while it is selected', async () => {
  reset([...aCall, aRow({ row: 4, summary: 'elsewhere' })]);
  render(<TraceDock />);
  await choose('POST');
  const facts = () => drawn().map(({ dataset }) => [dataset.carried !== undefined, dataset.relation]);
  await waitFor(() =>
    expect(facts()).toEqual([
      [false, undefined],
      [true, 'exchange'],
      [true, 'exchange'],
      [true, 'exchange'],
      [false, undefined],
    ]),
  );
  await choose('1 / 2');
  await waitFor(() => expect(facts()[0]).toEqual([false, 'exchange']));
  expect(screen.getByText('tools/call').title).toBe('tools/call, in HTTP exchange #1 (E)');
});

test('of exchanges that overlap, what a former one carried is set apart from what hangs from the last', async () => {
  reset([
    anHttpRow({ row: 0, method: 'GET', status: 'receiving' }),
    aRow({ row: 1, exchange: 0 }),
    anHttpRow({ row: 2 }),
    aRow({ row: 3, exchange: 2 }),
    aRow({ row: 4, exchange: 0 }),
    ...Array.from({ length: 30 }, (_, place) =>
      aRow({ row: 5 + place, exchange: 2, summary: `note ${place}` }),
    ),
  ]);
  render(<TraceDock />);
  const carried = () => drawn().map((row) => row.dataset.carried);
  // The exchange itself has scrolled out of sight.
  await rowWith('note 29');
  expect(new Set(carried())).toEqual(new Set(['here']));
  table().focus();
  await userEvent.keyboard('{Home}');
  await rowWith('GET');
  expect(carried().slice(0, 6)).toEqual([undefined, 'here', undefined, 'here', 'apart', 'here']);
});

test('a key leads from a message to its exchange and back, and so do the palette and a link', async () => {
  showCall();
  await choose('1 / 2');
  table().focus();
  await userEvent.keyboard('e');
  await waitFor(() => expect(selectedText()).toContain('POST'));
  await within(detail()).findByText('200 OK');
  await userEvent.keyboard('e');
  await waitFor(() => expect(selectedText()).toContain('1 / 2'));

  const command = () => currentCommands().find(({ id }) => id === 'trace.exchange');
  await waitFor(() => expect(command()?.title).toContain('Go to the HTTP exchange'));
  expect(command()?.shortcut).toBe('Mod+E');
  command()?.run();
  await waitFor(() => expect(selectedText()).toContain('POST'));
  expect(command()?.title).toContain('Go back');

  await choose('1 / 2');
  await userEvent.click(await within(detail()).findByRole('button', { name: '#1' }));
  await waitFor(() => expect(selectedText()).toContain('POST'));
});

test('an exchange chosen by itself leads to the first message it carried', async () => {
  showCall();
  await choose('POST');
  await screen.findByLabelText('Rows it carried');
  table().focus();
  await userEvent.keyboard('e');
  await waitFor(() => expect(selectedText()).toContain('tools/call'));
});

test('a row that no exchange carried offers no way to one', async () => {
  reset([aRow({ row: 0, summary: 'alone' })]);
  render(<TraceDock />);
  await choose('alone');
  await within(detail()).findByText('#1');
  expect(screen.queryByRole('tab', { name: 'HTTP' })).toBeNull();
  expect(currentCommands().some(({ id }) => id === 'trace.exchange')).toBe(false);
  table().focus();
  await userEvent.keyboard('e');
  expect(selectedText()).toContain('alone');
});

test('shows request and response as on the wire: lines in order and case, duplicates apart', async () => {
  showCall();
  await choose('tools/call');
  await showTab('HTTP');
  await within(detail()).findByText('http://127.0.0.1:3000/mcp');
  expect(await lines('Request')).toEqual([
    'Host: 127.0.0.1:3000',
    'content-type: application/json',
    'Authorization: Bearer 40 chars · 1a2b3c4d',
  ]);
  expect(within(detail()).getByText('200 OK').className).toContain('text-in');
  expect(await lines('Response')).toEqual([
    'Content-Type: application/json',
    'Set-Cookie: a=1',
    'Set-Cookie: b=2',
  ]);
});

test('what stands for a secret is a chip that says so', async () => {
  showCall();
  await choose('POST');
  const chip = await within(detail()).findByTitle(/^header:Authorization is secret and not on record/);
  expect(within(chip).getByRole('img', { name: 'secret' })).toBeTruthy();
  expect(detail().textContent).not.toContain('[secret');
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
  expect(await lines('Response')).toEqual(['X-Bad: <img src=x>[U+202E][ESC][31m', 'X-Empty: empty']);
  expect(detail().querySelector('img')).toBeNull();
});

test('says where the time went, in milliseconds to the microsecond', async () => {
  showCall();
  await choose('POST');
  expect(await lines('Timing')).toEqual([
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
  expect((await lines('Timing')).slice(0, 2)).toEqual(['Queued: 0.900 ms', 'Wait: 2.100 ms']);
  expect(await lines('Connection')).toEqual([
    'Server: 127.0.0.1:3000',
    'Connection: reused: it was open already',
  ]);
});

test('an exchange that is open is shown as far as it came, and on as it goes on', async () => {
  reset(aCall.slice(0, 2).map((row) => ({ ...row, status: 'pending' as const, code: null, duration: null })));
  engine.exchanges.set(0, anExchange({ connected: null, responses: [], end: null }));
  render(<TraceDock />);
  await choose('POST');
  await within(detail()).findByText('None yet.');
  expect(await lines('Timing')).toEqual(['Connecting: goes on']);

  engine.exchanges.set(0, anExchange({ end: null }));
  grow([anHttpRow({ row: 0, status: 'receiving', duration: null })]);
  await within(detail()).findByText('200 OK');
  expect((await lines('Timing')).at(-1)).toBe('Body: goes on');

  // What it carries comes after it, and leaves its own row as it is.
  grow([aRow({ row: 2, summary: '1 / 2', exchange: 0 })]);
  await waitFor(() => expect(screen.getByLabelText('Rows it carried').textContent).toContain('1 / 2'));
  engine.exchanges.set(0, anExchange());
  grow([anHttpRow({ row: 0 })]);
  await waitFor(async () => expect((await lines('Timing')).at(-1)).toBe('Total: 4.000 ms'));
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
  expect(await lines('Certificate')).toContain('Valid to: 2025-12-01 00:00:00 UTC expired');
  expect(await lines('Timing')).toEqual(['TLS: 21.000 ms', 'Total: 21.000 ms']);
  within(detail()).getByText('None came.');
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
  expect(await lines('TLS')).toEqual([
    'Protocol: TLSv1.3',
    'Cipher: TLS_AES_256_GCM_SHA384',
    'Trusted: no, it is signed by itself: DEPTH_ZERO_SELF_SIGNED_CERT. You accepted it',
    'Subject: CN=localhost',
    'Issuer: CN=localhost',
    'Names: DNS:localhost, IP Address:127.0.0.1',
    'Valid from: 2025-06-01 00:00:00 UTC',
    'Valid to: 2026-06-01 00:00:00 UTC',
    'SHA-256: AB:CD:EF',
  ]);
  expect(await lines('Connection')).toEqual([
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
  expect(await lines('Interim response')).toEqual(['Link: </a>']);
  expect(await lines('Trailers')).toEqual(['X-Sum: 1']);
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
  await within(detail()).findByText(/redirected to/);
  await userEvent.click(within(detail()).getByRole('button', { name: '#2' }));
  await within(detail()).findByText(/redirected from/);
  await userEvent.click(within(detail()).getByRole('button', { name: '#1' }));
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

test('the raw view of an event shows it as it was in its stream', async () => {
  reset(aCall);
  engine.texts.set(3, '{"a":\n1}');
  engine.events.set(3, {
    name: 'message',
    id: 'c-17',
    retry: 500,
    frame: ['event: message\r\nid: c-17\ndata: ', '\ndata:', '\n\n'],
  });
  const user = userEvent.setup();
  render(<TraceDock />);
  await user.click(await rowWith('response'));
  await within(detail()).findByText(/event id c-17/);
  within(detail()).getByText(/retry 500 ms/);
  await user.click(screen.getByRole('tab', { name: 'Raw' }));
  await user.click(screen.getByRole('button', { name: 'Copy, as it was sent' }));
  await waitFor(async () =>
    expect(await navigator.clipboard.readText()).toBe('event: message\r\nid: c-17\ndata: {"a":\ndata:1}\n\n'),
  );
  await user.click(screen.getByRole('tab', { name: 'Message' }));
  await within(detail()).findByText('"a"');
});

test('a page of HTML is text', async () => {
  reset([anHttpRow({ row: 0 }), aRow({ row: 1, kind: 'body', method: null, summary: 'page', exchange: 0 })]);
  engine.texts.set(1, '<h1 onclick="x()">401</h1>');
  render(<TraceDock />);
  await choose('page');
  await within(detail()).findByText('<h1 onclick="x()">401</h1>');
  expect(detail().querySelector('h1')).toBeNull();
});

test('a row that is selected already is brought into view when another pane chooses it again', async () => {
  reset(Array.from({ length: 500 }, (_, row) => aRow({ row, summary: `note ${row}` })));
  render(<TraceDock />);
  await rowWith('note 499');
  const chooseElsewhere = () => useSelection.setState({ traceRow: { [SESSION]: 42 } });
  chooseElsewhere();
  await rowWith('note 42');
  table().focus();
  await userEvent.click(screen.getByRole('button', { name: /follow the newest row/ }));
  await rowWith('note 499');
  chooseElsewhere();
  await rowWith('note 42');
});
