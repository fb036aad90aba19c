import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Checks } from '#checks/checks.ts';
import { TraceFromFile } from '#trace/opened/trace-from-file.ts';
import { LateChecks } from '#trace/opened/late-checks.ts';
import { linesOf, traceText, unit } from '#fixtures/trace/trace-text.ts';
import { readFilter, RowFilter } from '#trace/filter/row-filter.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { exchangeSteps } from '#trace/rows/exchanges.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { randomSteps } from '#fixtures/trace/random-steps.ts';
import { readRows } from '#trace/view/row-reader.ts';
import { indexPathOf, keepIndex, WORTH_KEEPING } from './index-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-index-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A text long enough that an index of its trace is kept. */
const padding = linesOf({
  seq: 1_000_000,
  at: 0,
  kind: 'stderr',
  text: 'x'.repeat(WORTH_KEEPING),
  size: WORTH_KEEPING,
});

/** A trace that nobody writes any more. */
async function writeTrace(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  const then = new Date(Date.now() - 3_600_000);
  await utimes(path, then, then);
}

async function opened(path: string): Promise<TraceFromFile> {
  const trace = await TraceFromFile.open(path, () => {});
  onTestFinished(() => trace.close());
  return trace;
}

/** Opens a file as the app does: by its index when that holds, else by reading it, and then keeps its index. */
async function openedByIndex(path: string): Promise<TraceFromFile> {
  const trace = await opened(path);
  await trace.restore();
  const checks = new LateChecks(
    trace,
    (columns) => new Checks(columns),
    () => {},
    trace.keptRows,
  );
  await trace.readAll();
  await checks.catchUp();
  await trace.keepIndex();
  return trace;
}

const filters = [
  'is:error',
  'method:tools/* dir:out',
  'status:ok dur:>0ms',
  'id:1',
  'finding:any',
  'is:ask',
  'text:"e"',
  'exchange:>0',
  'mark:any',
];

/** All that a screen can be told of a trace. */
async function factsOf(trace: ReadableTrace) {
  const { columns, exchanges, messages, invalid, errors } = trace.index;
  const numbers = [...Array(columns.count).keys()];
  const matching = [];
  const found = new Map<string, number>();
  for (const text of filters) {
    const question = { filter: readFilter(text), view: 'messages' as const, sessions: ['under test'] };
    const filter = new RowFilter(trace, question, { progressed: () => {}, matchesChanged: () => {} });
    await filter.catchUp();
    matching.push(filter.page(0, 10_000));
    found.set(text, filter.matches);
  }
  // The counts of the chips, kept with the columns, are those of their filters.
  expect(columns.counts).toEqual({
    errors: found.get('is:error'),
    found: found.get('finding:any'),
    asks: found.get('is:ask'),
  });
  return {
    counts: { messages, invalid, errors },
    median: trace.durations.median(),
    rows: await readRows(trace, numbers),
    pairs: numbers.map((row) => [
      columns.pair(row),
      columns.parent(row),
      columns.exchangeRow(row),
      columns.subject(row),
    ]),
    chunks: numbers.map((row) => trace.index.chunksOf(row)),
    exchanges: numbers.map((id) => [
      exchanges.row(id),
      exchanges.idOf(id),
      exchanges.responses(id),
      exchangeSteps.map((step) => exchanges.record(id, step)),
    ]),
    findings: trace.findings.page(0, 10_000),
    matching,
  };
}

test('a trace by its index is the trace as it is read: rows, findings, pairs and filters', async () => {
  await fc.assert(
    fc.asyncProperty(randomSteps, async (steps) => {
      const live = await HttpRecording.begin();
      try {
        for (const step of steps) step(live);
        await live.trace.file.flush();
        const path = join(folder, 'any.mcptrace');
        await writeTrace(path, (await readFile(live.trace.file.path, 'utf8')) + padding);
        await rm(indexPathOf(path), { force: true });
        const read = await openedByIndex(path);
        const kept = await openedByIndex(path);
        expect([read.keptRows, kept.keptRows]).toEqual([0, read.index.columns.count]);
        expect(kept.view()).toEqual(read.view());
        expect(await factsOf(kept)).toEqual(await factsOf(read));
        await Promise.all([read.close(), kept.close()]);
      } finally {
        await live.close();
      }
    }),
    { numRuns: 25, seed: 11 },
  );
}, 240_000);

const call = (id: number) => [
  unit(id * 2, { id, method: 'tools/call', params: { name: 'echo', arguments: {} } }, 'out'),
  unit(id * 2 + 1, { id, result: { content: [] } }),
];
const calls = [0, 1, 2, 3].flatMap(call);

/** A trace with its index beside it. */
async function keptTrace(name: string, text = traceText(...calls)): Promise<string> {
  const path = join(folder, name);
  await writeTrace(path, text + padding);
  await (await openedByIndex(path)).close();
  expect((await stat(indexPathOf(path))).mode & 0o777).toBe(0o600);
  return path;
}

/** How many rows come from the index, now that it is what this makes of it. */
async function rowsKept(path: string, change: (index: Buffer) => Buffer): Promise<number> {
  const index = await readFile(indexPathOf(path));
  await writeFile(indexPathOf(path), change(Buffer.from(index)));
  const trace = await opened(path);
  await trace.restore();
  await trace.readAll();
  expect(trace.index.columns.count).toBe(calls.length + 1);
  await trace.close();
  await writeFile(indexPathOf(path), index);
  return trace.keptRows;
}

/** Changes the first line of an index, and the sections, and makes the sum of these right again. */
function forged(index: Buffer, forge: (header: Header, section: (name: string) => Buffer) => void): Buffer {
  const end = index.indexOf('\n') + 1;
  const header: Header = JSON.parse(index.toString('utf8', 0, end));
  forge(header, (name) => {
    let from = end;
    for (const section of header.sections) {
      if (section.name === name) return index.subarray(from, from + section.length);
      from += Math.ceil(section.length / 8) * 8;
    }
    throw new Error(`no section ${name}`);
  });
  header.sha256 = createHash('sha256').update(index.subarray(end)).digest('hex');
  const line = JSON.stringify(header);
  const padded = `${line}${' '.repeat(7 - (line.length % 8))}\n`;
  return Buffer.concat([Buffer.from(padded), index.subarray(end)]);
}

interface Header {
  version: number;
  derivedBy: string;
  sha256: string;
  trace: { length: number; hash: string };
  sections: {
    name: string;
    length: number;
    column: { width: number; base: number; steps: boolean } | null;
  }[];
}

test('an index is taken only when it is whole, of this version and of these bytes', async () => {
  const path = await keptTrace('whole.mcptrace');
  const whole = calls.length + 1;
  expect(await rowsKept(path, (index) => index)).toBe(whole);
  expect(await rowsKept(path, (index) => forged(index, () => {}))).toBe(whole);
  for (const part of [0, 0.1, 0.5, 0.99]) {
    expect(await rowsKept(path, (index) => index.subarray(0, index.length * part))).toBe(0);
  }
  const wrong: ((header: Header) => void)[] = [
    (header) => (header.version = 1),
    (header) => (header.derivedBy = 'another build'),
    (header) => header.trace.length--,
    (header) => header.trace.length++,
    (header) => (header.trace.hash = header.trace.hash.replaceAll('0', '1')),
    (header) => header.sections.pop(),
    (header) => header.sections.reverse(),
  ];
  for (const forge of wrong) expect(await rowsKept(path, (index) => forged(index, forge))).toBe(0);
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (place, change) => {
      const flip = (index: Buffer) => {
        const at = place % index.length;
        index[at] = (index[at] ?? 0) ^ change;
        return index;
      };
      // What still holds after all was a blank between the line and the sections.
      expect([0, whole]).toContain(await rowsKept(path, flip));
    }),
    { numRuns: 40, seed: 12 },
  );
}, 120_000);

test('an index with numbers that cannot be is left aside', async () => {
  const path = await keptTrace('numbers.mcptrace');
  const outOfBounds = [
    'seq',
    'kind',
    'status',
    'method',
    'subject',
    'pair',
    'parent',
    'exchange',
    'offset',
    'length',
    'position',
    'batch',
    'finding',
    'idType',
  ];
  for (const name of outOfBounds) {
    // A few bytes off, another place of the file may be a line as well.
    for (const base of name === 'offset' ? [1e12, 0.5] : [-2, 1e12, 0.5]) {
      const forge = (header: Header) => {
        const section = header.sections.find((one) => one.name === `row ${name}`);
        if (section?.column) section.column.base = base;
      };
      expect([name, base, await rowsKept(path, (index) => forged(index, forge))]).toEqual([name, base, 0]);
    }
  }
  const fewer = (header: Header) => {
    const section = header.sections.find((one) => one.name === 'row kind');
    if (section) section.length--;
  };
  expect(await rowsKept(path, (index) => forged(index, fewer))).toBe(0);
  const pastTheEnd = (index: Buffer) =>
    forged(index, (_, section) => {
      const facts = section('facts');
      facts.write(facts.toString().replace('"marks":[]', '"marks":7 '));
    });
  expect(await rowsKept(path, pastTheEnd)).toBe(0);
}, 120_000);

test('a trace that changed under its index is read', async () => {
  const path = await keptTrace('changed.mcptrace');
  const text = await readFile(path, 'utf8');
  await writeTrace(path, text.replaceAll('echo', 'oche'));
  const trace = await openedByIndex(path);
  expect(trace.keptRows).toBe(0);
  expect(trace.index.columns.subject(0)).toBe('oche');
  // What was kept instead holds again.
  expect((await openedByIndex(path)).index.columns.subject(0)).toBe('oche');
  expect((await openedByIndex(path)).keptRows).toBe(calls.length + 1);
});

test('marks behind the index are put on its rows, and with other records behind it the trace is read', async () => {
  const path = await keptTrace('grown.mcptrace');
  const mark = { seq: 1_000_001, at: 2, kind: 'mark', of: 3, note: 'here' };
  await writeTrace(path, (await readFile(path, 'utf8')) + linesOf(mark));
  const marked = await openedByIndex(path);
  expect([marked.keptRows, marked.index.columns.mark(3)]).toEqual([calls.length + 1, 'here']);
  await marked.mark(0, 'by us');
  expect(marked.index.columns.mark(0)).toBe('by us');
  await writeTrace(
    path,
    (await readFile(path, 'utf8')) + linesOf(unit(2_000_000, { method: 'ping', id: 'late' })),
  );
  const grown = await openedByIndex(path);
  expect([grown.keptRows, grown.index.columns.count]).toEqual([0, calls.length + 2]);
  expect([grown.index.columns.mark(0), grown.index.columns.mark(3)]).toEqual(['by us', 'here']);
});

test('an unreadable trace gets no index, and each read error is handled', async () => {
  const path = await keptTrace('gone.mcptrace');
  await rm(indexPathOf(path));
  const { index, findings, durations } = await openedByIndex(path);
  await rm(indexPathOf(path));
  const clock = { tie: { at: 0, wall: 0 }, isOver: 'closed' as const, at: 0, seq: 0 };
  const state = { rows: index.state, findings: findings.state, durations: durations.state, clock, lines: 2 };
  let reads = 0;
  const fill = () => {
    reads++;
    return Promise.reject(new Error('the disk is gone'));
  };
  // Several blocks are read at once. A failure that nobody takes fails the run.
  expect(await keepIndex({ path, length: 5 * WORTH_KEEPING, fill }, state)).toBe(false);
  expect(reads).toBeGreaterThan(1);
  await expect(stat(indexPathOf(path))).rejects.toThrow('ENOENT');
});
