import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import type { Rebuild, RerunCall } from '#shared/contract/rebuild.ts';
import { RerunChoice } from './rerun-choice.tsx';

const aCall = (target: string, safety: RerunCall['safety']): RerunCall => ({
  key: target,
  name: null,
  method: 'tools/call',
  target,
  params: '{}',
  safety,
});

const aRebuild = (rerun: Partial<Rebuild['rerun']>): Rebuild => ({
  serverId: 's',
  isOn: true,
  paths: [],
  watched: [],
  files: 1,
  notWatched: null,
  isOurs: true,
  state: 'watching',
  crashes: 0,
  nextAt: null,
  rebuilds: 0,
  fault: null,
  last: null,
  rerun: { source: null, calls: [], consent: 'none', changes: [], ...rerun },
});

beforeEach(() => {
  fakeEngine({
    'rebuild/calls': () => [
      aCall('show', 'read-only'),
      aCall('order', 'unannotated'),
      aCall('drop', 'destructive'),
    ],
  });
});
afterEach(cleanup);

async function ticked(rebuild: Rebuild): Promise<(string | null)[]> {
  render(<RerunChoice rebuild={rebuild} hasSession />);
  await userEvent.click(screen.getByRole('button', { name: 'Choose calls…' }));
  await screen.findByRole('checkbox', { name: 'show' });
  return screen
    .getAllByRole<HTMLInputElement>('checkbox')
    .filter(({ checked }) => checked)
    .map((box) => box.getAttribute('aria-label'));
}

test('the safe calls are ticked before the first choice', async () => {
  expect(await ticked(aRebuild({}))).toEqual(['show']);
});

test('the choice is shown again, without a call that has become destructive', async () => {
  const source = { kind: 'calls' } as const;
  const calls = [aCall('order', 'unannotated'), aCall('drop', 'read-only')];
  expect(await ticked(aRebuild({ source, calls, consent: 'given' }))).toEqual(['order']);
});

test('a choice from the test file says nothing about the calls of the session', async () => {
  const source = { kind: 'suite', path: '/work/other.mcptest.yaml' } as const;
  const rebuild = aRebuild({ source, calls: [aCall('order', 'unannotated')], consent: 'given' });
  expect(await ticked(rebuild)).toEqual(['show']);
});
