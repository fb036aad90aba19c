import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceRow } from '#shared/trace/row.ts';
import { MAX_PAGES, PAGE_ROWS, type RowsResult, RowWindow } from './row-window.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';

/** An engine whose answers come when the test lets them, and whose rows carry the version they were read at. */
function engine(total: number) {
  const waiting: { from: number; answer: () => void; fail: () => void }[] = [];
  const frames: (() => void)[] = [];
  let version = 0;
  let changes = 0;
  let awaited = 0;
  let rows = total;
  const rowsFrom = (from: number, count: number): TraceRow[] =>
    Array.from({ length: Math.max(0, Math.min(count, rows - from)) }, (_, place) =>
      aRow({ row: from + place, summary: `v${version}` }),
    );
  const window = new RowWindow({
    read: (from, count) =>
      new Promise<RowsResult>((resolve, reject) => {
        const answer = { total: rows, rows: rowsFrom(from, count) };
        waiting.push({ from, answer: () => resolve(answer), fail: () => reject(new Error('gone')) });
      }),
    onChange: () => changes++,
    onAwaited: () => awaited++,
    onNextFrame: (run) => frames.push(run),
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  return {
    window,
    frame: () => {
      for (const run of frames.splice(0)) run();
    },
    answerAll: async () => {
      for (const { answer } of waiting.splice(0)) answer();
      await settled();
    },
    failAll: async () => {
      for (const { fail } of waiting.splice(0)) fail();
      await settled();
    },
    grow: (to: number) => {
      rows = to;
      window.grow(to);
    },
    change: (from: number) => {
      version++;
      window.outdate(from);
    },
    get asked() {
      return waiting.map(({ from }) => from);
    },
    get changes() {
      return changes;
    },
    get awaited() {
      return awaited;
    },
    async rest() {
      for (let turn = 0; turn < 100; turn++) {
        this.frame();
        if (waiting.length === 0) return;
        await this.answerAll();
      }
      throw new Error('it never stops asking');
    },
  };
}

test('the rows the user moved to are requested at once and reported when loaded, and the rows beside them after that', async () => {
  const it = engine(10_000);
  it.window.grow(10_000);
  it.window.show(5070, 5105, 40);
  expect(it.asked).toEqual([5000, 5100]);
  it.frame();
  expect(it.asked).toEqual([5000, 5100]);
  const before = it.changes;
  await it.answerAll();
  expect(it.window.at(5104)?.row).toBe(5104);
  expect([it.awaited, it.changes - before]).toEqual([2, 0]);
  it.window.show(5080, 5165, 40);
  expect(it.asked).toEqual([]);
  it.frame();
  expect(it.asked).toEqual([5200]);
  await it.rest();
  expect(it.awaited).toBe(2);
});

test('however fast the user moves, few answers are under way, and the rows moved to last come', async () => {
  const it = engine(10_000);
  it.window.grow(10_000);
  for (let from = 0; from < 9000; from += 500) it.window.show(from, from + 30, 40);
  expect(it.asked).toHaveLength(4);
  await it.rest();
  expect(it.window.at(8529)?.row).toBe(8529);
});

test('asks for the pages looked at, once each, with the next frame', async () => {
  const it = engine(1000);
  it.window.grow(1000);
  it.window.want(150, 180);
  it.window.want(190, 220);
  expect(it.asked).toEqual([]);
  it.frame();
  it.window.want(190, 220);
  it.frame();
  expect(it.asked).toEqual([100, 200]);
  await it.answerAll();
  expect(it.window.at(190)?.row).toBe(190);
  expect(it.window.at(219)?.row).toBe(219);
  expect(it.window.at(90)).toBeUndefined();
});

test('a followed list requests its new end at once, and reports it once loaded', async () => {
  const it = engine(1000);
  it.window.grow(1000);
  it.window.follow(30, 40);
  it.frame();
  expect(it.asked).toEqual([900]);
  await it.answerAll();
  const before = it.changes;
  it.grow(5020);
  expect(it.asked).toEqual([4900, 5000]);
  expect(it.changes).toBe(before);
  it.grow(5030);
  await it.answerAll();
  expect(it.changes).toBe(before + 2);
  await it.rest();
  expect(it.window.at(5029)?.row).toBe(5029);
  expect(it.window.at(3000)).toBeUndefined();
});

test('a list that is no longer followed is reported as soon as it grows', () => {
  const it = engine(1000);
  it.window.grow(1000);
  it.window.follow(30, 40);
  it.window.want(0, 30);
  const before = it.changes;
  it.grow(1001);
  expect([it.asked, it.changes - before]).toEqual([[], 1]);
});

test('the length of a followed list is reported although its rows cannot be read', async () => {
  const it = engine(1000);
  it.window.grow(1000);
  it.window.follow(30, 0);
  it.frame();
  await it.answerAll();
  const before = it.changes;
  it.grow(1500);
  await it.failAll();
  expect(it.changes).toBeGreaterThan(before);
  expect([it.window.total, it.window.error]).toEqual([1500, new Error('gone')]);
});

test('has at most one request under way for a page', () => {
  const it = engine(1000);
  it.window.grow(1000);
  it.window.want(0, 50);
  it.frame();
  it.change(10);
  it.frame();
  expect(it.asked).toEqual([0]);
});

test('shows old rows until their successors come', async () => {
  const it = engine(1000);
  it.window.grow(1000);
  it.window.want(0, 50);
  await it.rest();
  it.change(20);
  it.frame();
  expect(it.window.at(20)?.summary).toBe('v0');
  await it.answerAll();
  expect(it.window.at(20)?.summary).toBe('v1');
});

test('leaves pages alone that end before the changed row', async () => {
  const it = engine(1000);
  it.window.grow(1000);
  it.window.want(0, PAGE_ROWS);
  await it.rest();
  it.change(PAGE_ROWS);
  it.frame();
  expect(it.asked).toEqual([]);
});

test('asks again when a row changed while its page was under way', async () => {
  const it = engine(50);
  it.window.grow(50);
  it.window.want(0, 50);
  it.frame();
  it.change(10);
  await it.answerAll();
  expect(it.window.at(10)?.summary).toBe('v0');
  await it.rest();
  expect(it.window.at(10)?.summary).toBe('v1');
});

test('ten thousand grown rows in one frame are one request', async () => {
  const it = engine(0);
  it.window.want(0, 40);
  for (let rows = 1; rows <= 10_000; rows++) it.grow(rows);
  it.window.want(9_960, 10_000);
  it.frame();
  expect(it.asked).toEqual([9_900]);
});

test('shows the end as far as it is held while the list outgrows it', async () => {
  const it = engine(250);
  it.window.grow(250);
  it.window.want(210, 250);
  it.frame();
  it.grow(900);
  expect(it.window.heldEnd(40)).toBe(0);
  await it.answerAll();
  expect(it.window.heldEnd(40)).toBe(250);
  it.window.want(860, 900);
  await it.rest();
  expect(it.window.heldEnd(40)).toBe(900);
});

test('a list shorter than the viewport is held whole from its first row', async () => {
  const it = engine(7);
  it.window.grow(7);
  it.window.want(0, 40);
  await it.rest();
  expect(it.window.heldEnd(40)).toBe(7);
});

test('keeps a bounded number of pages', async () => {
  const it = engine(100_000);
  it.window.grow(100_000);
  for (let page = 0; page < MAX_PAGES * 2; page++) {
    it.window.want(page * PAGE_ROWS, page * PAGE_ROWS + 10);
    await it.rest();
  }
  expect(it.window.at(0)).toBeUndefined();
  expect(it.window.at((MAX_PAGES * 2 - 1) * PAGE_ROWS)).toBeDefined();
});

test('stops asking when the engine fails, says so, and goes on after a retry', async () => {
  const it = engine(100);
  it.window.grow(100);
  it.window.want(0, 40);
  it.frame();
  await it.failAll();
  it.frame();
  expect(it.asked).toEqual([]);
  expect(it.window.error).toBeInstanceOf(Error);
  it.window.retry();
  await it.rest();
  expect(it.window.error).toBeNull();
  expect(it.window.at(0)).toBeDefined();
});

test('ignores answers after it was closed', async () => {
  const it = engine(100);
  it.window.grow(100);
  it.window.want(0, 40);
  it.frame();
  it.window.close();
  const before = it.changes;
  await it.answerAll();
  expect(it.window.at(0)).toBeUndefined();
  expect(it.changes).toBe(before);
});

test('after any order of growth and changes, the visible rows are up to date and requests stop', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('grow' as const), by: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ do: fc.constant('change' as const), back: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ do: fc.constant('frame' as const) }),
    fc.record({ do: fc.constant('answer' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const it = engine(30);
      it.window.grow(30);
      let rows = 30;
      it.window.want(0, 30);
      const version = new Map<number, number>();
      let changes = 0;
      for (const what of steps) {
        if (what.do === 'grow') it.grow((rows += what.by));
        if (what.do === 'change') {
          const from = Math.max(0, rows - what.back);
          it.change(from);
          changes++;
          for (let row = from; row < rows; row++) version.set(row, changes);
        }
        if (what.do === 'frame') it.frame();
        if (what.do === 'answer') await it.answerAll();
      }
      it.window.want(rows - 60, rows);
      await it.rest();
      for (let row = Math.max(0, rows - 60); row < rows; row++) {
        const shown = Number(it.window.at(row)?.summary.slice(1));
        expect(shown).toBeGreaterThanOrEqual(version.get(row) ?? 0);
      }
    }),
    { numRuns: 60 },
  );
});
