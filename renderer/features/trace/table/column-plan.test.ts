import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changed, columnNames, columnPlans, layOut, moved, widthIn } from './column-plan.ts';

const first = columnPlans([]);
/** With longer methods than any column has room for. */
const ofLength = (length: number) => ({ methodLength: length, namedMethodLength: length });
const longest = ofLength(60);
const at = (width: number, plans = first) => layOut(plans, { width, foldsResponses: false, ...longest });
const namesAt = (width: number) => at(width).names;

test('as they come, all but gap and transport are shown where there is room', () => {
  expect(namesAt(1400)).toEqual(columnNames.filter((name) => name !== 'gap' && name !== 'transport'));
});

test('the narrower the table, the fewer columns; what a row is and what came of it stays', () => {
  expect(namesAt(880)).toContain('waterfall');
  expect(namesAt(880)).not.toContain('id');
  expect(namesAt(724)).not.toContain('size');
  expect(namesAt(600)).not.toContain('waterfall');
  expect(namesAt(724)).toContain('time');
  expect(namesAt(300)).toEqual([
    'number',
    'direction',
    'method',
    'name',
    'status',
    'duration',
    'finding',
    'mark',
  ]);
});

test('at every width the columns fit, or text shrinks to let them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 3000 }), (table) => {
      const { template } = at(table);
      const pixels = [...template.replaceAll(/, \d+px/g, '').matchAll(/(\d+)px/g)].reduce(
        (sum, [, width]) => sum + Number(width),
        20,
      );
      expect(pixels <= table).toBe(true);
    }),
  );
});

test('keeps the order, the widths and what is hidden, whatever the settings know or do not', () => {
  const plans = columnPlans([
    { name: 'status', isShown: true, width: 120 },
    { name: 'of another app', isShown: true, width: 10 },
    { name: 'status', isShown: false, width: null },
    { name: 'number', isShown: false, width: null },
  ]);
  expect(plans).toHaveLength(columnNames.length);
  expect(new Set(plans.map(({ name }) => name))).toEqual(new Set(columnNames));
  expect(plans[0]).toEqual({ name: 'status', isShown: true, width: 120 });
  expect(plans.find(({ name }) => name === 'number')?.isShown).toBe(false);
  expect(at(1400, plans).template.startsWith('120px')).toBe(true);
});

test('a column is moved before another one or to the end', () => {
  const names = (before: 'number' | null) => moved(first, 'status', before).map(({ name }) => name);
  expect(names('number')[0]).toBe('status');
  expect(names(null).at(-1)).toBe('status');
  expect(names(null)).toHaveLength(columnNames.length);
});

test('no column gets narrower than it can be read', () => {
  const plan = changed(first, 'method', { width: 3 }).find(({ name }) => name === 'method');
  expect(plan?.width).toBe(60);
});

test('the waterfall has a fifth of the table, and what the name does not need', () => {
  expect(at(1400).template.endsWith('minmax(280px, 1fr)')).toBe(true);
  expect(at(1400).template).toContain('minmax(100px, 440px)');
  const hidden = changed(first, 'waterfall', { isShown: false });
  expect(at(1400, hidden).template).toContain('minmax(100px, 1fr)');
});

test('in a window of 1280 pixels a name is wide enough for what its call was made with', () => {
  const { names, template } = layOut(first, { width: 1064, foldsResponses: true, ...longest });
  const widths = template.split(/ (?!\d+px\))/);
  const others = widths.reduce((sum, track) => sum + Number(/\d+/.exec(track)?.[0]), 20 - 100);
  expect(names).not.toContain('id');
  expect(widths[names.indexOf('name')]).toBe('minmax(100px, 440px)');
  expect(1064 - others).toBeGreaterThan(180);
});

test('a method has the room it needs, and the name what is left, without another choice of columns', () => {
  for (const width of [300, 640, 883, 1064, 1600]) {
    const frame = { width, foldsResponses: true };
    const cut = layOut(first, { ...frame, ...longest });
    const short = layOut(first, { ...frame, ...ofLength('tools/call'.length) });
    expect(short.names).toEqual(cut.names);
    const methodIn = ({ template, names }: typeof cut) =>
      Number(/\d+(?=px|fr)/.exec(template.split(/ (?!\d+(?:px|fr)\))/)[names.indexOf('method')] ?? '')?.[0]);
    expect(methodIn(short)).toBeLessThan(methodIn(cut));
    expect(methodIn(layOut(first, { ...frame, ...ofLength(0) }))).toBe(methodIn(short));
    const some = methodIn(layOut(first, { ...frame, ...ofLength('prompts/get'.length) }));
    expect(some).toBeGreaterThan(methodIn(short));
    expect(some).toBeLessThan(methodIn(cut));
  }
});

test('a method without a name has its room where the name is not the next column', () => {
  const table = {
    width: 1600,
    foldsResponses: false,
    methodLength: 'notifications/initialized'.length,
    namedMethodLength: 'tools/call'.length,
  };
  const methodIn = (plans: typeof first) => {
    const { names, template, sizing } = layOut(plans, table);
    const method = plans.find(({ name }) => name === 'method') ?? expect.fail();
    const width = widthIn(method, sizing);
    expect(template.split(/ (?!\d+px\))/)[names.indexOf('method')]).toBe(`${width}px`);
    return width;
  };
  const whole = Math.ceil('notifications/initialized'.length * 7.25);
  expect(methodIn(first)).toBeLessThan(whole);
  expect(methodIn(changed(first, 'name', { isShown: false }))).toBeGreaterThanOrEqual(whole);
  expect(methodIn(moved(first, 'name', 'number'))).toBeGreaterThanOrEqual(whole);
  expect(methodIn(moved(first, 'gap', 'name'))).toBeLessThan(whole);
  expect(methodIn(moved(first, 'status', 'name'))).toBeGreaterThanOrEqual(whole);
});

test('beside the detail in a window of 1440 pixels a name has room in place of a size', () => {
  const { names, dropped } = layOut(first, { width: 883, foldsResponses: true, ...longest });
  expect(names).toContain('waterfall');
  expect([...dropped].sort()).toEqual(['id', 'size']);
});

test('a table without a growing column leaves the rest empty', () => {
  const plans = changed(changed(first, 'name', { width: 200 }), 'waterfall', { width: 100 });
  expect(at(1400, plans).template.endsWith('minmax(0, 1fr)')).toBe(true);
});

test('a time without room for its milliseconds has the hour still', () => {
  expect(at(960).showsMilliseconds).toBe(false);
  expect(at(1400).showsMilliseconds).toBe(true);
  expect(at(1400, changed(first, 'time', { width: 80 })).showsMilliseconds).toBe(false);
});

test('a column made wider takes the place of no more columns than it needs', () => {
  const wide = changed(first, 'name', { width: 370 });
  const { names, template } = at(1064, wide);
  expect(names).toEqual(expect.arrayContaining(['time', 'waterfall']));
  expect(template.endsWith('minmax(88px, 1fr)')).toBe(true);
  expect(at(1064, changed(first, 'name', { width: 400 })).names).toContain('size');
});

test('beside a name of a set width, no column is dropped that fits in what is left', () => {
  const least = { id: 60, size: 70, waterfall: 88, time: 96 };
  fc.assert(
    fc.property(fc.integer({ min: 961, max: 1400 }), fc.integer({ min: 60, max: 400 }), (table, width) => {
      const { dropped, template } = at(table, changed(first, 'name', { width }));
      const used = [...template.matchAll(/(\d+)px/g)].reduce((sum, [, one]) => sum + Number(one), 20);
      for (const name of ['id', 'size', 'waterfall', 'time'] as const) {
        if (dropped.has(name)) expect(used + least[name]).toBeGreaterThan(table);
      }
    }),
  );
});
