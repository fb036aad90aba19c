import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Finding } from '#shared/contract/checks.ts';
import { beginOnSession, choose, detail, rowWith, selectedText, showTab } from '#fixtures/page/trace-dock.ts';
import { engine, grow, reset } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from '../trace-dock.tsx';
import { useDetailChoices } from './detail.tsx';

beginOnSession();

const aFinding = (facts: Partial<Finding> = {}): Finding => ({
  id: 0,
  rule: 'schema/invalid',
  severity: 'error',
  source: 'schema',
  text: 'tools/list result: expected array, got object',
  pointer: '/result/tools',
  revision: '2025-06-18',
  rows: [1],
  ...facts,
});

const rows = [
  aRow({ row: 0, summary: 'fine' }),
  aRow({ row: 1, summary: 'wrong', finding: 'error' }),
  aRow({ row: 2, summary: 'doubtful', finding: 'warning' }),
  aRow({ row: 3, summary: 'surprising', finding: 'info' }),
];

const findingsShown = async () =>
  within(await within(detail()).findByRole('list', { name: 'Findings' })).getAllByRole('listitem');

test('a row says how bad the worst of its findings is, in words too', async () => {
  reset(rows);
  render(<TraceDock />);
  const markOf = async (text: string) =>
    within(await rowWith(text))
      .queryByLabelText(/found$/)
      ?.getAttribute('aria-label');
  expect(await markOf('fine')).toBeUndefined();
  expect(await markOf('wrong')).toBe('error found');
  expect(await markOf('doubtful')).toBe('warning found');
  expect(await markOf('surprising')).toBe('note found');
});

test('the detail has a tab with every finding of the row: what, which rule, where and by which revision', async () => {
  reset(rows);
  engine.findings = [
    aFinding(),
    aFinding({
      id: 1,
      rule: 'jsonrpc/duplicate-response',
      severity: 'warning',
      text: 'A second answer\u202e to the same request',
      pointer: null,
      revision: null,
      rows: [1, 0],
    }),
    aFinding({ id: 2, rows: [3] }),
  ];
  render(<TraceDock />);
  await choose('wrong');
  await showTab('2 findings');
  const [first, second, ...others] = await findingsShown();
  expect(others).toEqual([]);
  expect(first?.textContent).toBe(
    'tools/list result: expected array, got objectErrorschema/invalidrevision 2025-06-18at/result/tools',
  );
  // What would turn the text around is made visible.
  expect(second?.textContent).not.toContain('\u202e');
  expect(second?.textContent).toContain('Warningjsonrpc/duplicate-response');

  await userEvent.click(within(second ?? detail()).getByRole('button', { name: 'Row #1 of the trace' }));
  expect(selectedText()).toContain('fine');
  expect(screen.queryByRole('tab', { name: /finding/ })).toBeNull();
});

test('a finding that comes later joins the others', async () => {
  reset(rows);
  engine.findings = [aFinding()];
  render(<TraceDock />);
  await choose('wrong');
  await showTab('1 finding');
  engine.findings = [aFinding(), aFinding({ id: 1, text: 'and another' })];
  grow([aRow({ row: 1, summary: 'wrong', finding: 'error' })]);
  expect(await screen.findByText('and another')).toBeTruthy();
  await screen.findByRole('tab', { name: '2 findings' });
});

test('what a link in a row shows ends with the row; the chosen tab is kept', async () => {
  reset([...rows, aRow({ row: 4, kind: 'invalid', noise: 'not-utf8', summary: 'broken' })]);
  engine.findings = [aFinding()];
  engine.texts.set(1, '{"result":{"tools":{}}}');
  render(<TraceDock />);
  const shownTab = () => screen.getByRole('tab', { selected: true }).textContent;
  await choose('broken');
  await userEvent.click(await within(detail()).findByRole('button', { name: 'byte 3' }));
  expect(shownTab()).toBe('Hex');
  await choose('fine');
  await expect.poll(shownTab).toBe('Message');
  await choose('broken');
  await within(detail()).findByRole('button', { name: 'byte 3' });
  expect(shownTab()).toBe('Message');
  await choose('wrong');
  await showTab('1 finding');
  await userEvent.click(await within(detail()).findByRole('button', { name: '/result/tools' }));
  expect(shownTab()).toBe('Message');
  expect(useDetailChoices.getState().tab).toBe('findings');
  // Chosen by the tab itself, it is for every row.
  await showTab('Raw');
  await choose('fine');
  await expect.poll(() => detail().getAttribute('aria-label')).toBe('Row #1');
  expect(shownTab()).toBe('Raw');
});

test('says when they cannot be read', async () => {
  reset(rows);
  engine.failing = { name: 'checks/of-row', error: new Error('the engine is gone') };
  render(<TraceDock />);
  await choose('wrong');
  await showTab('Findings');
  expect((await within(detail()).findByRole('alert')).textContent).toContain('the engine is gone');
});
