import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { CapabilityTable } from './capabilities.tsx';

afterEach(cleanup);

const cells = (path: string) => {
  const row = screen.getByRole('cell', { name: path }).closest('tr');
  if (row === null) throw new Error('no row');
  return within(row)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent);
};

test('lists what was announced and what was not, with the revision that brought it', async () => {
  render(
    <CapabilityTable
      side="server"
      capabilities={{ tools: { listChanged: true }, resources: { subscribe: false } }}
      revision="2025-06-18"
    />,
  );
  expect(cells('tools')).toEqual(['yes', 'tools', 'offers tools listChanged', '{…}']);
  expect(cells('resources')[2]).toBe('offers resources');
  expect(screen.queryByRole('cell', { name: 'tools.listChanged' })).toBeNull();
  expect(screen.queryByRole('cell', { name: 'prompts' })).toBeNull();
  const fold = screen.getByRole('button', { name: /^Show all \d+/ });
  expect(fold.textContent).toContain('not declared: resources.subscribe, resources.listChanged, prompts');
  await userEvent.click(fold);
  expect(cells('tools')).toEqual(['yes', 'tools', 'offers tools', '2024-11-05', '{…}']);
  expect(cells('tools.listChanged')).toEqual([
    'yes',
    'tools.listChanged',
    'says when its tools change',
    '2024-11-05',
    'true',
  ]);
  expect(cells('resources.subscribe')[0]).toBe('no');
  expect(cells('prompts')[0]).toBe('no');
  expect(screen.queryByRole('cell', { name: 'tasks' })).toBeNull();
});

test('warns of what the revision does not have, and shows what no revision knows', () => {
  render(
    <CapabilityTable
      side="server"
      capabilities={{ tasks: {}, 'x-my\u202ething': { a: 1 } }}
      revision="2025-06-18"
    />,
  );
  expect(cells('tasks')[2]).toBe('not in 2025-06-18');
  expect(cells('x-my[U+202E]thing').slice(0, 3)).toEqual(['yes', 'x-my[U+202E]thing', 'custom']);
});

test('says what is wrongly declared, and what belongs there', () => {
  render(
    <CapabilityTable
      side="server"
      capabilities={{ tools: [], prompts: true, resources: { subscribe: 'yes' } }}
      revision="2025-06-18"
    />,
  );
  expect(cells('tools').slice(0, 3)).toEqual([
    'wrong',
    'tools',
    'wrongly declared: an array, where an object belongs',
  ]);
  expect(cells('prompts')[2]).toBe('wrongly declared: true, where an object belongs');
  expect(cells('resources.subscribe')[2]).toBe('wrongly declared: a text, where true or false belongs');
  expect(screen.getByRole('button', { name: /^Show all/ }).textContent).not.toMatch(
    /(?:tools|prompts|subscribe)(?:,|$)/,
  );
});

test('capabilities that are no object are not said to be unknown', () => {
  render(<CapabilityTable side="server" capabilities={null} revision="2025-06-18" isWrong />);
  expect(document.body.textContent).toContain(
    'Wrongly declared: the capabilities of the server are no object.',
  );
});

test('every experimental capability is a row of its own, with what was said of it', async () => {
  render(
    <CapabilityTable
      side="server"
      capabilities={{ experimental: { 'x/feature': { deep: { er: 1 } }, y: {} } }}
      revision="2025-06-18"
    />,
  );
  expect(cells('experimental.y').slice(0, 3)).toEqual(['yes', 'experimental.y', 'custom']);
  await userEvent.click(screen.getByRole('button', { name: 'Value of experimental.x/feature' }));
  expect(document.body.textContent).toContain('{\n  "deep": {\n    "er": 1\n  }\n}');
});

test('a value opens with a click', async () => {
  render(
    <CapabilityTable side="client" capabilities={{ roots: { listChanged: true } }} revision="2025-11-25" />,
  );
  const toggle = screen.getByRole('button', { name: 'Value of roots' });
  expect(toggle.getAttribute('aria-expanded')).toBe('false');
  await userEvent.click(toggle);
  expect(toggle.getAttribute('aria-expanded')).toBe('true');
  expect(document.body.textContent).toContain('{\n  "listChanged": true\n}');
});
