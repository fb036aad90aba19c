import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { asItIs, redacted, TraceOf, withPatterns } from '#fixtures/trace/trace-of.ts';
import type { ExportFormat } from '#shared/contract/exports.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { traceHeaderSchema } from '#shared/trace/record.ts';
import { Redactor } from '#trace/recorder/redaction.ts';
import { Trace } from '#trace/trace.ts';
import { TraceFeed } from '#trace/trace-feed.ts';
import { exportHandlers } from './handlers.ts';

const all = { of: 'all' } as const;
let trace: TraceOf;
beforeEach(async () => {
  trace = await TraceOf.begin();
});
afterEach(() => trace.close());

const message = (params: object) => JSON.stringify({ jsonrpc: '2.0', method: 'x', params });
const write = (path: string, rows: { of: 'all' } | { of: 'rows'; rows: number[] } = all) =>
  trace.handlers['exports/write']({ sessionId: 's', rows, format: 'jsonl', redaction: redacted, path });

test('a preview counts what an export leaves out, with samples that show none of it', async () => {
  trace.message('in', message({ text: 'nothing' }));
  trace.message('in', message({ before: 'x'.repeat(200), password: 'hunter22x', after: 'y'.repeat(200) }));
  trace.message('out', message({ text: 'it is hunter22x, is it? EMP-1' }));
  const { entries, leftOut, removed, removals } = await trace.preview('jsonl', withPatterns('EMP-\\d'));
  expect({ entries, leftOut, removed }).toEqual({ entries: 3, leftOut: 0, removed: 3 });
  expect(removals).toEqual([
    {
      kind: 'member password',
      count: 2,
      row: 1,
      sample: expect.stringMatching(/^…x+","password":"\[secret .*","after":"y+…$/),
    },
    {
      kind: 'pattern 1',
      count: 1,
      row: 2,
      sample: expect.stringMatching(/^….*, is it\? \[secret pattern 1, 5 .*\]"\}\}$/),
    },
  ]);
  expect(JSON.stringify(removals)).not.toContain('hunter22x');
  const written = await trace.export('jsonl', withPatterns('EMP-\\d'));
  expect(written).toMatchObject({ entries: 3, removed: 3 });
});

test('a secret found in a row that was not chosen is still replaced', async () => {
  trace.message('in', message({ password: 'hunter22x' }));
  trace.message('in', message({ text: 'hunter22x' }));
  const { text } = await trace.export('jsonl', redacted, { of: 'rows', rows: [1] });
  expect(text).toMatch(/"text":"\[secret member password/);
});

test('records added after a preview are scanned for secrets too', async () => {
  trace.message('in', message({ text: 'hunter22x' }));
  expect((await trace.preview('jsonl')).removed).toBe(0);
  trace.message('in', message({ password: 'hunter22x' }));
  expect((await trace.preview('jsonl')).removed).toBe(2);
  expect((await trace.export('jsonl')).text).not.toContain('hunter22x');
});

test('records added while an export scans for secrets are not exported, because they were not scanned', async () => {
  trace.message('in', message({ text: 'first' }));
  const read = trace.file.readSpan.bind(trace.file);
  vi.spyOn(trace.file, 'readSpan').mockImplementationOnce(async (from, end) => {
    const span = await read(from, end);
    trace.message('in', message({ text: 'it is hunter22x' }));
    trace.message('in', message({ password: 'hunter22x' }));
    return span;
  });
  const { text, entries } = await trace.export('mcptrace');
  expect(entries).toBe(1);
  expect(text).not.toContain('hunter22x');
  expect((await trace.export('mcptrace')).entries).toBe(3);
});

describe('of a session that continues while it is exported', () => {
  beforeEach(() => {
    trace.message('out', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}');
    trace.message('in', message({ text: 'first' }));
    const read = trace.file.readSpan.bind(trace.file);
    vi.spyOn(trace.file, 'readSpan').mockImplementationOnce(async (from, end) => {
      const span = await read(from, end);
      trace.add({ kind: 'stderr', text: 'later', size: 5 });
      trace.message('in', message({ text: 'later' }));
      return span;
    });
  });
  const counted = async (rows: RowChoice) => {
    const params = { sessionId: 's', rows, format: 'mcptrace', redaction: redacted, stderr: 'with' } as const;
    const path = join(trace.folder, 'grown.mcptrace');
    const { entries, chosen, added, addedStderr } = await trace.handlers['exports/write']({
      ...params,
      path,
    });
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain('later');
    const { excerpt } = traceHeaderSchema.parse(JSON.parse(text.split('\n')[0] ?? ''));
    return { entries, chosen, added, addedStderr, excerpt };
  };

  test('all rows are those of its start, and no excerpt', async () => {
    expect(await counted(all)).toEqual({
      entries: 2,
      chosen: 2,
      added: 0,
      addedStderr: 0,
      excerpt: undefined,
    });
  });

  test('chosen rows are an excerpt of the rows of its start', async () => {
    expect(await counted({ of: 'rows', rows: [0] })).toEqual({
      entries: 1,
      chosen: 1,
      added: 0,
      addedStderr: 0,
      excerpt: { rows: 1, of: 2 },
    });
  });
});

test('with patterns alone only these are replaced', async () => {
  trace.message('in', message({ password: 'hunter22x', code: 'EMP-1' }));
  const { text } = await trace.export('jsonl', { isOn: false, patterns: ['EMP-\\d'] });
  expect(text).toMatch(/"password":"hunter22x","code":"\[secret pattern 1/);
});

test('only the last of several previews gets a result', async () => {
  for (let count = 0; count < 1000; count++) trace.message('in', message({ count }));
  const first = trace.preview('jsonl');
  const last = trace.preview('mcptrace');
  await expect(first).rejects.toMatchObject({ fault: { code: 'superseded' } });
  expect(await last).toMatchObject({ entries: 1000 });
});

test('an export is readable by its owner only, gets the extension of its format, and overwrites nothing', async () => {
  trace.message('in', message({}));
  const written = await write(join(trace.folder, 'mine.txt'));
  expect(written.path).toBe(join(trace.folder, 'mine.txt.jsonl'));
  const { mode, size } = await stat(written.path);
  expect(mode & 0o777).toBe(0o600);
  expect(size).toBe(written.bytes);
  await writeFile(join(trace.folder, 'there.jsonl'), 'precious');
  await expect(write(join(trace.folder, 'there'))).rejects.toMatchObject({
    fault: { code: 'export-exists' },
  });
  expect(await readFile(join(trace.folder, 'there.jsonl'), 'utf8')).toBe('precious');
});

test('an invalid path is reported, and a truncated trace leaves no partial file', async () => {
  trace.message('in', message({ text: `${'a'.repeat(60)}!` }));
  await expect(write('relative.jsonl')).rejects.toMatchObject({ fault: { code: 'bad-path' } });
  await expect(write(join(trace.folder, 'no/such/folder.jsonl'))).rejects.toMatchObject({
    fault: { code: 'export-not-written', why: expect.stringContaining('ENOENT') },
  });
  const before = await readdir(trace.folder);
  await trace.file.flush();
  await writeFile(trace.file.path, '');
  await expect(trace.export('jsonl', asItIs)).rejects.toMatchObject({ fault: { code: 'trace-not-read' } });
  expect(await readdir(trace.folder)).toEqual(before);
});

test('unknown rows and unknown filters are reported', async () => {
  trace.message('in', message({}));
  const path = join(trace.folder, 'x.jsonl');
  await expect(write(path, { of: 'rows', rows: [5] })).rejects.toMatchObject({
    fault: { code: 'no-such-row' },
  });
  expect(existsSync(path)).toBe(false);
});

test('the suggested path is free, and in a folder that can be written to', async () => {
  const { path } = await trace.handlers['exports/suggest']({ sessionId: 's', format: 'mcptrace' });
  expect(path).toMatch(/own-shared\.mcptrace$/);
  const downloads = join(homedir(), 'Downloads');
  expect(path.startsWith(existsSync(downloads) ? downloads : trace.folder)).toBe(true);
  trace.message('in', message({}));
  // Not in the download folder of the developer.
  if (existsSync(downloads)) return;
  await trace.handlers['exports/write']({
    sessionId: 's',
    rows: all,
    format: 'mcptrace',
    redaction: redacted,
    path,
  });
  const next = await trace.handlers['exports/suggest']({ sessionId: 's', format: 'mcptrace' });
  expect(next.path).toMatch(/own-shared-2\.mcptrace$/);
});

test('an export of a filter goes on when the filter ends', async () => {
  trace.message('in', message({ text: 'first' }));
  trace.message('in', message({ text: 'second' }));
  const feed = new TraceFeed('s', trace, () => {});
  const filterId = feed.startFilter('text:second', 'messages');
  await feed.filter(filterId)?.catchUp();
  const read = trace.file.readSpan.bind(trace.file);
  vi.spyOn(trace.file, 'readSpan').mockImplementationOnce(async (from, end) => {
    feed.endFilter(filterId);
    return read(from, end);
  });
  const path = join(trace.folder, 'ended.mcptrace');
  const written = await exportHandlers(feed)['exports/write']({
    sessionId: 's',
    rows: { of: 'filter', filterId },
    format: 'mcptrace',
    redaction: redacted,
    path,
  });
  expect(() => feed.filter(filterId)).toThrow('This filter has ended');
  expect(written).toMatchObject({ listed: 1, chosen: 1, entries: 1 });
  expect(await readFile(path, 'utf8')).toContain('"filter":"text:second"');
});

test('a secret that the session knows is not in the filter of an excerpt', async () => {
  trace.message('in', message({ text: 'first' }));
  const live = await Trace.create({
    path: join(trace.folder, 'live.mcptrace'),
    header: trace.header,
    redactor: new Redactor(new Map()),
    onChange: () => {},
    onCongested: () => {},
  });
  try {
    live.markSecret('header:X-Api-Key', 'abc123xyz');
    live.phase('connecting', null);
    live.phase('ready', null);
    const feed = new TraceFeed('s', live, () => {});
    const filterId = feed.startFilter('-text:abc123xyz ready', 'messages');
    const path = join(trace.folder, 'live-excerpt.mcptrace');
    const rows = { of: 'filter', filterId } as const;
    const params = { sessionId: 's', rows, format: 'mcptrace', path } as const;
    const { entries } = await exportHandlers(feed)['exports/write']({ ...params, redaction: redacted });
    const text = await readFile(path, 'utf8');
    expect(entries).toBe(1);
    expect(text).toContain('"filter":"-text:[secret');
    expect(text).not.toContain('abc123xyz');
  } finally {
    await live.close();
  }
});

describe('messages that complete the chosen ones', () => {
  /** What a filter lists, and what an export of that holds. */
  async function counted(view: 'messages' | 'calls', format: ExportFormat) {
    const call = (id: number) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'a' } });
    trace.message('out', call(1));
    trace.message('in', '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"hush-hush"}}');
    trace.message('out', call(2));
    trace.message('in', '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}');
    const feed = new TraceFeed('s', trace, () => {});
    const filterId = feed.startFilter('-text:hush', view);
    const of = { sessionId: 's', rows: { of: 'filter', filterId }, format, redaction: redacted } as const;
    const handlers = exportHandlers(feed);
    const { listed, chosen, added, addedMessages } = await handlers['exports/preview'](of);
    const path = join(trace.folder, `${view}.${format}`);
    const written = await handlers['exports/write']({ ...of, path });
    expect(written).toMatchObject({ listed, chosen, added, addedMessages });
    expect((await readFile(path, 'utf8')).includes('hush-hush')).toBe(addedMessages > 0);
    return { listed, chosen, addedMessages };
  }

  test.each([
    ['messages', 'mcptrace', { listed: 3, chosen: 3, addedMessages: 1 }],
    ['calls', 'mcptrace', { listed: 2, chosen: 3, addedMessages: 1 }],
    ['calls', 'md', { listed: 2, chosen: 3, addedMessages: 1 }],
    ['calls', 'jsonl', { listed: 2, chosen: 3, addedMessages: 0 }],
  ] as const)(
    'of %s as %s are counted, because a filter may leave them out',
    async (view, format, counts) => {
      expect(await counted(view, format)).toEqual(counts);
    },
  );

  test('of a batch are those that share its record', async () => {
    trace.message('in', `[${message({ n: 1 })},${message({ n: 2 })},${message({ n: 3 })}]`);
    const rows: RowChoice = { of: 'rows', rows: [1] };
    expect(await trace.preview('mcptrace', redacted, rows)).toMatchObject({ chosen: 1, addedMessages: 2 });
  });

  test('of an HTTP archive are what its exchanges carried', async () => {
    const recording = await HttpRecording.begin();
    try {
      const posted = recording.request({ body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
      recording.response(posted, 200, { headers: [['Content-Type', 'application/json']] });
      recording.body(posted, '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}');
      recording.end(posted);
      const handlers = exportHandlers(new TraceFeed('s', recording.trace, () => {}));
      const { columns } = recording.trace.index;
      const request = [...Array(columns.count).keys()].find((row) => columns.kind(row) === 'request') ?? -1;
      const rows: RowChoice = { of: 'rows', rows: [request] };
      const params = { sessionId: 's', rows, format: 'har', redaction: redacted } as const;
      expect(await handlers['exports/preview'](params)).toMatchObject({
        entries: 1,
        chosen: 1,
        added: 2,
        addedMessages: 1,
      });
    } finally {
      await recording.close();
    }
  });
});
