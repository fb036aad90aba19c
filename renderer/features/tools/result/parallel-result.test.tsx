import { act, cleanup, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { engine, entry } from '#fixtures/page/fake-tools.ts';
import { run, showPane } from '#fixtures/page/tools-pane.tsx';
import { durationSpread } from './parallel-result.tsx';

vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

beforeEach(() => engine.reset());
afterEach(cleanup);

const tool = entry({ name: 'x' });
const result = () => within(screen.getByRole('region', { name: 'Result' }));
const parallel = () => within(screen.getByRole('region', { name: 'Parallel calls' }));
const rows = () => parallel().getAllByRole('row').slice(1);
const texts = () => rows().map((row) => [...row.children].map(({ textContent }) => textContent).join('|'));

async function runParallel(count: string, shown = tool) {
  const user = await showPane([shown]);
  await user.click(screen.getByRole('button', { name: 'Parallel calls' }));
  const field = screen.getByRole('textbox', { name: 'Calls at once' });
  await user.clear(field);
  await user.type(field, count);
  return user;
}

test('are all sent at once, and listed with their durations; one click repeats them', async () => {
  const user = await runParallel('3');
  await user.click(screen.getByRole('button', { name: 'Run 3 in parallel' }));
  await expect.poll(() => engine.started.map((one) => one.arguments)).toEqual(['{}', '{}', '{}']);
  expect(parallel().getByRole('status').textContent).toBe('3 running');
  act(() => {
    engine.finish({ state: 'ok', duration: 4000 }, {}, 2);
    engine.finish({ state: 'tool-error', duration: 1000 }, {}, 0);
    engine.finish({ state: 'ok', duration: 2000 }, {}, 1);
  });
  expect(parallel().getByRole('status').textContent).toBe('2 ok, 1 tool error');
  expect(parallel().getByText('min 1.0 ms · median 2.0 ms · max 4.0 ms')).toBeTruthy();
  expect(texts()).toEqual([
    'id 2|tool error|1.0 ms|214 B|#7',
    'id 3|ok|2.0 ms|214 B|#8',
    'id 4|ok|4.0 ms|214 B|#9',
  ]);
  await user.click(within(rows()[0]!).getByRole('button', { name: 'Row #7 of the trace' }));
  expect(useSelection.getState().traceRow[engine.sessionId]).toBe(6);
  await user.click(parallel().getByRole('button', { name: 'Run 3 again' }));
  expect(engine.started).toHaveLength(6);
  expect(texts().map((text) => text.split('|')[0])).toEqual(['id 5', 'id 6', 'id 7']);
});

test('have their number in place of the variable, which Run would send as it is', async () => {
  const inputSchema = { type: 'object', properties: { article: { type: 'string', default: 'a-${n}' } } };
  const user = await runParallel('2', entry({ name: 'x', inputSchema }));
  expect(screen.getByText(/sends it as it is/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Run 2 in parallel' }));
  await expect
    .poll(() => engine.started.map((one) => one.arguments))
    .toEqual(['{"article":"a-1"}', '{"article":"a-2"}']);
});

test('say once what all of them were called with', async () => {
  const inputSchema = { type: 'object', properties: { n: { type: 'number', default: 2 } } };
  const user = await runParallel('2', entry({ name: 'x', inputSchema }));
  await user.click(screen.getByRole('button', { name: 'Run 2 in parallel' }));
  expect(parallel().getAllByTitle('n: 2')).toHaveLength(1);
});

test('one of them is shown, and leads back to all', async () => {
  const user = await runParallel('2');
  await user.click(screen.getByRole('button', { name: 'Run 2 in parallel' }));
  act(() => engine.finish({ state: 'ok' }, { content: [{ type: 'text', text: 'the first' }] }, 0));
  await user.click(parallel().getByRole('button', { name: 'Show call 2' }));
  expect(await result().findByText('the first')).toBeTruthy();
  await user.click(result().getByRole('button', { name: 'All 2 calls' }));
  expect(rows()).toHaveLength(2);
  // A single call replaces the table.
  await run(user);
  expect(result().getByText('running')).toBeTruthy();
});

test('are cancelled together', async () => {
  const user = await runParallel('2');
  await user.click(screen.getByRole('button', { name: 'Run 2 in parallel' }));
  await user.click(parallel().getByRole('button', { name: 'Cancel all' }));
  expect(engine.cancelled).toEqual(['call-2', 'call-3']);
  act(() => [0, 1].forEach((at) => engine.finish({ state: 'cancelled', duration: null }, undefined, at)));
  expect(parallel().getByRole('status').textContent).toBe('2 cancelled');
  expect(parallel().getByRole('button', { name: 'Cancel all' })).toHaveProperty('disabled', true);
});

test.each(['1', '101', '2.5', ''])('%j of them cannot be run', async (count) => {
  const user = await runParallel(count || ' ');
  expect(screen.getByText('Not a number from 2 to 100.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Run in parallel' })).toHaveProperty('disabled', true);
  await user.keyboard('{Enter}');
  expect(engine.started).toEqual([]);
});

test('a destructive tool asks once for all of them', async () => {
  const user = await showPane([entry({ name: 'wipe' })]);
  engine.mustConfirm = 'confirm-destructive';
  await user.click(screen.getByRole('button', { name: 'Parallel calls' }));
  await user.click(screen.getByRole('button', { name: 'Run 10 in parallel' }));
  expect(engine.started).toEqual([]);
  const question = within(screen.getByRole('region', { name: 'Run wipe?' }));
  expect(question.getByText(/It would run 10 times at once and get these arguments/)).toBeTruthy();
  await user.click(question.getByRole('button', { name: 'Run it' }));
  expect(engine.started).toHaveLength(10);
});

test('the question before parallel calls says what counts them', async () => {
  const schema = { type: 'object', properties: { article: { type: 'string' } } };
  const user = await showPane([entry({ name: 'wipe', inputSchema: schema })]);
  engine.mustConfirm = 'confirm-destructive';
  await user.click(screen.getByRole('button', { name: 'Parallel calls' }));
  const ask = async (article: string) => {
    const field = screen.getByRole('textbox', { name: /article/ });
    await user.clear(field);
    await user.click(field);
    await user.paste(article);
    await user.click(screen.getByRole('button', { name: 'Run 10 in parallel' }));
    return screen.getByRole('region', { name: 'Run wipe?' }).textContent;
  };
  const words = '${n} is 1 to 10, the number of the call.';
  expect(await ask('a-${n}')).toContain(words);
  expect(await ask('a-$${n}')).not.toContain(words);
});

test.each([
  [[3000], 'min 3.0 ms · median 3.0 ms · max 3.0 ms'],
  [[4000, 1000, null, 2000, 3000], 'min 1.0 ms · median 2.5 ms · max 4.0 ms'],
  [[null], ''],
])('the spread of %j', (durations, spread) => {
  expect(durationSpread(durations.map((duration) => ({ duration })))).toBe(spread);
});
