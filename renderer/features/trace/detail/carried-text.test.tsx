import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { beginOnSession, choose, detail, rowWith } from '#fixtures/page/trace-dock.ts';
import { aCallOverHttp, anHttpRow } from '#fixtures/page/trace-exchanges.tsx';
import { engine, reset } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from '../trace-dock.tsx';

beginOnSession();

test('the raw view of an event shows it as it was in its stream', async () => {
  reset(aCallOverHttp);
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
