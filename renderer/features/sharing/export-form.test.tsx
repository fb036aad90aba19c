import { act, cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { currentCommands } from '#model/commands.ts';
import { closeExport, openExport } from '#model/exports.ts';
import { selectOpened, useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { useSettings } from '#model/settings.ts';
import { type Answers, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aSession } from '#fixtures/page/samples.ts';
import { useTraces } from '#model/traces.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { defaultSettings, settingsSchema } from '#shared/contract/settings.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import type { ShownRows } from './export-fields.tsx';
import { ExportForm } from './export-form.tsx';

beforeEach(() => {
  closeExport();
  useTraces.setState({ files: [], opened: { 'file-1': anOpenedTrace() } });
  useSessions.setState({ sessions: {} });
  useSettings.setState(defaultSettings);
});
afterEach(cleanup);

const removal = {
  kind: 'header Authorization',
  count: 12,
  row: 6,
  sample: 'Bearer [secret token, 9 characters, ab]',
};

const httpHeader = {
  ...anOpenedTrace().header,
  server: { name: 'remote', transport: 'http' as const, url: 'http://127.0.0.1:1/mcp' },
};
const nothingFound = { findings: [], findingCount: 0 };
const wholeTrace = { listed: 1200, chosen: 1200, added: 0, addedMessages: 0, addedStderr: 0 };

const engineOf = (answers: Answers = {}) =>
  fakeEngine({
    'exports/preview': ({ redaction }) => ({
      entries: 1200,
      leftOut: 0,
      removals: redaction.isOn ? [removal] : [],
      hasStderr: false,
      removed: redaction.isOn ? 12 : 0,
      ...wholeTrace,
      ...nothingFound,
    }),
    'exports/suggest': ({ format }) => ({ path: `/home/me/notes.${format}` }),
    'exports/write': ({ path }) => ({
      path,
      entries: 1200,
      leftOut: 0,
      bytes: 4_100_000,
      removed: 12,
      ...wholeTrace,
      ...nothingFound,
    }),
    'settings/write': (changes) => settingsSchema.parse({ ...defaultSettings, ...changes }),
    ...answers,
  });

function Pane({ filter }: { readonly filter: ShownRows | null }) {
  const exporting = useSelection((selection) => selection.exporting);
  return exporting && <ExportForm exporting={exporting} filter={filter} />;
}

function show(rows?: RowChoice, sessionId = 'file-1') {
  openExport(sessionId, rows);
  const { rerender, unmount } = render(<Pane filter={null} />);
  return {
    ...userEvent.setup(),
    unmount,
    /** The trace shows what this filter matches. */
    filter: (filter: ShownRows | null) => rerender(<Pane filter={filter} />),
  };
}

const file = () => screen.getByRole('textbox', { name: 'File' });
async function shows(text: string): Promise<void> {
  await expect.poll(() => document.body.textContent).toContain(text);
}

test('shows what is left out before anything is written, and where that is in the trace', async () => {
  const engine = engineOf();
  const user = show();
  await shows('1,200 rows, 12 values replaced');
  expect(engine.asked('exports/preview')).toEqual([
    {
      sessionId: 'file-1',
      rows: { of: 'all' },
      format: 'mcptrace',
      redaction: { isOn: true, patterns: [] },
    },
  ]);
  const line = screen.getByRole('row', { name: /header Authorization/ });
  expect(line.textContent).toContain('[secret token, 9 characters, ab]');
  await user.click(within(line).getByRole('button', { name: 'Row #7 of the trace' }));
  expect(useSelection.getState().traceRow['file-1']).toBe(6);
  expect(engine.asked('exports/write')).toEqual([]);
});

test('writes the file, says where it is, and opens it', async () => {
  const opened = anOpenedTrace({ sessionId: 'file-2', path: '/tmp/x.mcptrace' });
  const engine = engineOf({ 'traces/open': () => opened });
  const user = show();
  await expect.poll(() => file()).toHaveProperty('value', '/home/me/notes.mcptrace');
  await user.clear(file());
  await user.type(file(), '/tmp/x.mcptrace');
  await user.click(screen.getByRole('button', { name: /^Export/ }));
  const outcome = await screen.findByRole('status', { name: 'Exported' });
  expect(outcome.textContent).toContain('/tmp/x.mcptrace1,200 rows · 4.1 MB · 12 values replaced');
  expect(engine.asked('exports/write')).toMatchObject([{ path: '/tmp/x.mcptrace', format: 'mcptrace' }]);
  // The next file goes beside it, under a name that says why it changed.
  expect(file()).toHaveProperty('value', '/tmp/x-2.mcptrace');
  expect(document.body.textContent).toContain('A new name for the next export');
  await user.click(within(outcome).getByRole('button', { name: 'Open' }));
  expect(useSelection.getState()).toMatchObject({ openedId: 'file-2', exporting: null });
});

test('its key is that of a command, which works wherever the focus is while it is open', async () => {
  const engine = engineOf();
  const { unmount } = show();
  const write = () => currentCommands().find(({ shortcut }) => shortcut === 'Mod+Enter');
  await expect.poll(() => write()?.title).toBe('Write the export');
  act(() => write()?.run());
  await screen.findByRole('status', { name: 'Exported' });
  expect(engine.asked('exports/write')).toMatchObject([{ path: '/home/me/notes.mcptrace' }]);
  unmount();
  expect(currentCommands()).toEqual([]);
});

test('what cannot be written says why, and the form stays as it is', async () => {
  engineOf({
    'exports/write': () => {
      throw new FaultError({ code: 'file-exists', what: 'There is already a file of this name.' });
    },
  });
  const user = show();
  await expect.poll(() => file()).toHaveProperty('value', '/home/me/notes.mcptrace');
  await user.click(screen.getByRole('button', { name: /^Export/ }));
  expect((await screen.findByRole('alert')).textContent).toContain('There is already a file');
  expect(file()).toHaveProperty('value', '/home/me/notes.mcptrace');
});

test('a file for HTTP is not offered for a session over stdio, and the ending follows the format', async () => {
  const engine = engineOf();
  const user = show();
  const har = screen.getByRole('radio', { name: 'HTTP archive (.har)' });
  expect(har).toHaveProperty('disabled', true);
  expect(document.body.textContent).toContain('This session used stdio');
  await expect.poll(() => file()).toHaveProperty('value', '/home/me/notes.mcptrace');
  await user.clear(file());
  await user.type(file(), '/tmp/mine.mcptrace');
  await user.click(screen.getByRole('radio', { name: 'JSON Lines (.jsonl)' }));
  expect(file()).toHaveProperty('value', '/tmp/mine.jsonl');
  await shows('1,200 messages');
  expect(engine.asked('exports/preview').at(-1)).toMatchObject({ format: 'jsonl' });
});

test('each format says what it leaves out', () => {
  useTraces.setState({ opened: { 'file-http': anOpenedTrace({ header: httpHeader }) } });
  engineOf();
  show(undefined, 'file-http');
  const noteOf = (name: string) => {
    const id = screen.getByRole('radio', { name }).getAttribute('aria-describedby') ?? '';
    return document.getElementById(id)?.textContent;
  };
  expect(noteOf('Trace file (.mcptrace)')).toContain(
    'Of chosen rows: without the rest, such as standard error',
  );
  expect(noteOf('JSON Lines (.jsonl)')).toContain('Without standard error, processes, phases, HTTP');
  expect(noteOf('Report (.md)')).toContain('Without whole messages, HTTP and phases');
  expect(noteOf('HTTP archive (.har)')).toContain('Without standard error, processes and phases');
});

test('the rows that were selected are exported, or all', async () => {
  const engine = engineOf();
  const user = show({ of: 'rows', rows: [3, 4] });
  expect(screen.getByRole('radio', { name: 'The selected rows, 2' })).toHaveProperty('checked', true);
  await shows('1,200 rows');
  expect(engine.asked('exports/preview').at(-1)).toMatchObject({ rows: { of: 'rows', rows: [3, 4] } });
  await user.click(screen.getByRole('radio', { name: /The whole trace/ }));
  await expect.poll(() => engine.asked('exports/preview').at(-1)).toMatchObject({ rows: { of: 'all' } });
});

test('chosen rows come with the standard error during their calls if one failed, unless the user decides otherwise', async () => {
  const engine = engineOf({
    'exports/preview': ({ stderr }) => {
      const hasStderr = stderr === 'if-failed' || stderr === 'with';
      const rows = {
        listed: 2,
        chosen: 2,
        added: hasStderr ? 4 : 1,
        addedMessages: 1,
        addedStderr: hasStderr ? 3 : 0,
      };
      return { entries: 6, leftOut: 0, removals: [], removed: 0, hasStderr, ...rows, ...nothingFound };
    },
  });
  const user = show({ of: 'rows', rows: [3, 4] });
  const box = () => screen.queryByRole('checkbox', { name: 'With the standard error during these calls' });
  const words = '2 selected rows, 1 more because a call is exported whole';
  await shows(`6 rows, nothing replaced${words}, 3 lines of standard error during these calls.`);
  expect(box()).toHaveProperty('checked', true);
  expect(engine.asked('exports/preview').at(-1)).toMatchObject({ stderr: 'if-failed' });
  await user.click(box() ?? document.body);
  await shows(`3 rows, nothing replaced${words}.`);
  expect(box()).toHaveProperty('checked', false);
  await user.click(screen.getByRole('button', { name: /^Export/ }));
  await screen.findByRole('status', { name: 'Exported' });
  expect(engine.asked('exports/write')).toMatchObject([{ stderr: 'without' }]);
  await user.click(screen.getByRole('radio', { name: /The whole trace/ }));
  expect(box()).toBeNull();
  await user.click(screen.getByRole('radio', { name: /The selected rows/ }));
  await user.click(screen.getByRole('radio', { name: 'JSON Lines (.jsonl)' }));
  expect(box()).toBeNull();
});

test('the box for standard error says what is written; before its preview, nothing can be exported', async () => {
  const waiting: (() => void)[] = [];
  let fails = false;
  const engine = engineOf({
    'exports/preview': async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      if (fails) throw new FaultError({ code: 'trace-unreadable', what: 'The trace cannot be read.' });
      return {
        entries: 6,
        leftOut: 0,
        removals: [],
        removed: 0,
        hasStderr: true,
        ...wholeTrace,
        ...nothingFound,
      };
    },
  });
  const user = show({ of: 'rows', rows: [3, 4] });
  const box = () => screen.getByRole('checkbox', { name: 'With the standard error during these calls' });
  const button = () => screen.getByRole('button', { name: /^Export/ });
  await expect.poll(() => file()).toHaveProperty('value', '/home/me/notes.mcptrace');
  await expect.poll(() => waiting).toHaveLength(1);
  expect(box()).toHaveProperty('indeterminate', true);
  expect(button()).toHaveProperty('disabled', true);
  waiting[0]?.();
  await expect.poll(box).toHaveProperty('checked', true);
  expect(box()).toHaveProperty('indeterminate', false);
  await user.click(button());
  await screen.findByRole('status', { name: 'Exported' });
  expect(engine.asked('exports/write')).toMatchObject([{ stderr: 'with' }]);
  fails = true;
  await user.click(screen.getByRole('checkbox', { name: 'Replace secrets' }));
  await expect.poll(() => waiting).toHaveLength(2);
  expect(box()).toHaveProperty('indeterminate', true);
  waiting[1]?.();
  await expect.poll(box).toHaveProperty('indeterminate', false);
  expect(box()).toHaveProperty('checked', false);
  await user.click(button());
  await expect.poll(() => engine.asked('exports/write')).toMatchObject([{}, { stderr: 'without' }]);
});

test('the rows that the filter shows are exported once it is done; another filter is followed', async () => {
  const engine = engineOf();
  const user = show();
  expect(screen.queryByRole('radio', { name: /filter/ })).toBeNull();
  user.filter({ filterId: 'f1', matches: 7, isDone: false });
  await user.click(screen.getByRole('radio', { name: 'The filtered rows, 7' }));
  await shows('The filter is still running…');
  expect(screen.getByRole('button', { name: /^Export/ })).toHaveProperty('disabled', true);
  const rows = () => (engine.asked('exports/preview').at(-1) as { rows: RowChoice }).rows;
  user.filter({ filterId: 'f1', matches: 9, isDone: true });
  await expect.poll(rows).toEqual({ of: 'filter', filterId: 'f1' });
  user.filter({ filterId: 'f2', matches: 1, isDone: true });
  await expect.poll(rows).toEqual({ of: 'filter', filterId: 'f2' });
  user.filter(null);
  await expect.poll(rows).toEqual({ of: 'all' });
});

test('says before and after how many rows are in the file, and what the filter does not match of them', async () => {
  const counts = { listed: 2, chosen: 4, added: 2, addedMessages: 1, addedStderr: 0 };
  const exported = { entries: 9, leftOut: 0, removed: 0, ...counts, ...nothingFound };
  engineOf({
    'exports/preview': ({ format }) => ({
      ...exported,
      ...(format === 'jsonl' && { entries: 4, added: 0, addedMessages: 0 }),
      removals: [],
      hasStderr: false,
    }),
    'exports/write': ({ path }) => ({ ...exported, path, bytes: 4100 }),
  });
  const user = show();
  user.filter({ filterId: 'f1', matches: 2, isDone: true });
  await user.click(screen.getByRole('radio', { name: 'The filtered rows, 2' }));
  const words = '2 listed rows, 2 folded into them, 2 more because a call is exported whole';
  await shows(`6 rows, nothing replaced${words}.`);
  expect(screen.getByRole('note').textContent).toBe(
    '1 message is in the file although the filter does not match it: a call is exported whole. JSON Lines leaves it out.',
  );
  await user.click(screen.getByRole('button', { name: /^Export/ }));
  const outcome = await screen.findByRole('status', { name: 'Exported' });
  expect(outcome.textContent).toContain(`6 rows (${words}) · 4.1 kB`);
  await user.click(screen.getByRole('radio', { name: 'JSON Lines (.jsonl)' }));
  await shows('4 messages, nothing replaced2 listed rows, 2 folded into them.');
  expect(screen.queryByRole('note')).toBeNull();
});

test('patterns are checked where they are written, used, and kept for the next export', async () => {
  const engine = engineOf();
  const user = show();
  await user.click(screen.getByRole('button', { name: 'Add a pattern' }));
  const pattern = screen.getByRole('textbox', { name: 'Pattern 1' });
  expect(document.activeElement).toBe(pattern);
  await user.type(pattern, 'customer-(');
  expect(pattern.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByRole('button', { name: /^Export/ })).toHaveProperty('disabled', true);
  await user.tab();
  expect(engine.asked('settings/write')).toEqual([]);
  await user.type(pattern, 'a)');
  await user.tab();
  expect(engine.asked('settings/write')).toEqual([{ redactionPatterns: ['customer-(a)'] }]);
  await expect
    .poll(() => engine.asked('exports/preview').at(-1))
    .toMatchObject({ redaction: { isOn: true, patterns: ['customer-(a)'] } });
});

test('a warning says that secrets will be in the file when they are not left out', async () => {
  useSettings.setState({ redactionPatterns: ['customer'] });
  const engine = engineOf();
  const user = show();
  await user.click(screen.getByRole('checkbox', { name: 'Replace secrets' }));
  expect(screen.getByRole('note').textContent).toContain('tokens and passwords');
  expect(screen.queryByRole('textbox', { name: 'Pattern 1' })).toBeNull();
  await shows('nothing replaced');
  expect(engine.asked('exports/preview').at(-1)).toMatchObject({ redaction: { isOn: false, patterns: [] } });
});

test('a running session is exported from where it is; one that is gone says so', async () => {
  engineOf();
  useSessions.setState({ sessions: { s1: aSession({ transport: 'streamable-http', serverId: 'v9' }) } });
  selectOpened('file-1');
  show(undefined, 's1');
  expect(useSelection.getState()).toMatchObject({ serverId: 'v9', openedId: null });
  expect(screen.getByRole('radio', { name: 'HTTP archive (.har)' })).toHaveProperty('disabled', false);
  const write = () => currentCommands().some(({ id }) => id === 'trace.write-export');
  await expect.poll(write).toBe(true);
  useSessions.setState({ sessions: {} });
  await shows('This trace is no longer open');
  expect(write()).toBe(false);
});
