import { describe, expect, test } from 'vitest';
import type { TraceRow } from '../row.ts';
import { fold } from './fold.ts';
import { instantIn } from './instants.ts';
import { type FilterFacts, matchesRow } from './match.ts';
import { parseFilter } from './parse.ts';
import { patternTest } from './pattern.ts';
import { usualFilters } from './usual-filters.ts';

/** When the trace began: 10:40 local time. */
const WALL = new Date(2026, 10, 21, 10, 40).getTime();
const MINUTE = 60_000_000;

const row: TraceRow = {
  row: 41,
  seq: 50,
  position: 0,
  batch: 1,
  at: 1000 + 3 * MINUTE,
  kind: 'result',
  direction: 'in',
  channel: 'stdout',
  method: 'tools/call',
  summary: 'echo',
  level: null,
  logger: null,
  id: '7',
  status: 'ok',
  noise: null,
  code: null,
  duration: 2500,
  size: 1200,
  pair: 40,
  parent: null,
  exchange: 11,
  automatic: false,
  probe: false,
  replayed: false,
  responseMode: null,
  composed: null,
  error: false,
  finding: null,
  mark: null,
};

const facts: FilterFacts = {
  row,
  subject: 'Echo',
  texts: ['{"jsonrpc":"2.0","result":"Größe"}'],
  rules: [],
  clock: { at: 1000, wall: WALL, lastAt: 1000 + 5 * MINUTE },
  sessions: ['my server', 'session-1'],
};

function matches(text: string, own: Partial<TraceRow> = {}, other: Partial<FilterFacts> = {}): boolean {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return matchesRow(parsed.filter, { ...facts, ...other, row: { ...row, ...own } });
}

describe('one row', () => {
  test.each<[yes: string, no: string, own?: Partial<TraceRow>, other?: Partial<FilterFacts>]>([
    ['method:tools/*', 'method:tools'],
    ['method:TOOLS/CALL', 'method:*x*', {}],
    ['-method:*', 'method:*', { method: null }],
    ['name:echo', 'name:ech'],
    ['tool:e*', 'tool:other'],
    ['name:echo', 'tool:echo', { method: 'prompts/get' }],
    ['dir:in', 'dir:out'],
    ['-dir:in,out', 'dir:in,out', { direction: null }],
    ['kind:request,result', '-kind:result'],
    ['status:ok', 'status:error,late'],
    ['status:-32602 status:error', 'status:-32600', { status: 'error', code: -32602 }],
    ['status:4xx status:404', 'status:5xx', { kind: 'http', code: 404 }],
    ['-status:4xx', 'status:404'],
    ['id:7', 'id:8'],
    ['id:7', 'id:77', { id: '"7"' }],
    ['id:s-*', 'id:7', { id: '"s-4"' }],
    ['id:9007199254740993', 'id:9007199254740992', { id: '9007199254740993' }],
    ['-id:*', 'id:*', { id: null }],
    ['dur:>2ms', 'dur:>2500us'],
    ['dur:2500us..3ms', 'dur:<2500us'],
    ['-dur:<1s', 'dur:<1s', { duration: null }],
    ['size:>1kB', 'size:>=1.3kB'],
    ['level:>=warning', 'level:<=warning', { level: 'error' }],
    ['level:debug..notice,error', 'level:>error', { level: 'error' }],
    ['level:warning', 'level:>warning', { level: 'warning' }],
    ['-level:>=debug', 'level:<=emergency', { level: null }],
    ['logger:DB*', 'logger:db', { logger: 'db.pool' }],
    ['-logger:*', 'logger:*', { logger: null }],
    ['row:42', 'row:41,43'],
    ['row:40..', 'row:<42'],
    ['exchange:12', 'exchange:11'],
    ['-exchange:>0', 'exchange:>0', { exchange: null }],
    ['since:10:43', 'since:10:43:00.001'],
    ['until:10:43', 'until:10:42'],
    ['since:-2m', 'since:-1m'],
    ['session:my*', 'session:other'],
    ['session:session-1', 'session:session'],
    ['-finding:any', 'finding:any'],
    ['finding:any finding:warning', 'finding:error', { finding: 'warning' }],
    ['finding:schema/*', 'finding:envelope/*', { finding: 'error' }, { rules: ['schema/invalid'] }],
    ['mark:any mark:LATER', 'mark:soon', { mark: 'see later' }],
    ['mark:any', 'mark:x', { mark: '' }],
    ['-mark:any', 'mark:any'],
    ['is:call', 'is:ask', { kind: 'request', direction: 'out' }],
    ['is:ask is:call', 'is:error', { kind: 'request', direction: 'in' }],
    ['is:automatic,probe', 'is:probe', { automatic: true }],
    ['is:composed', 'is:automatic', { composed: 'anyway' }],
    ['is:probe', 'is:marked,found', { probe: true }],
    ['is:marked', 'is:found', { mark: '' }],
    ['is:found', 'is:error', { finding: 'info' }],
    ['is:error', '-is:error', { status: 'tool-error', error: true }],
    ['-is:error', 'is:error', { status: 'ok', finding: 'error' }],
    ['text:GRÖSSE,größe', 'text:tools'],
    ['text:"\\"result\\":"', 'text:nothing'],
    ['tools', 'nothing'],
    ['ECHO', 'ech0'],
    ['resul', 'stderr'],
    ['größe ok or größe', 'größe nothing'],
  ])('is %s and not %s', (yes, no, own, other) => {
    expect(matches(yes, own, other)).toBe(true);
    expect(matches(no, own, other)).toBe(false);
  });

  test('the usual filters can be read', () => {
    for (const { text } of usualFilters) expect(parseFilter(text).ok).toBe(true);
  });
});

describe('times', () => {
  const clock = { at: 0, wall: new Date(2026, 10, 21, 23, 50).getTime(), lastAt: 30 * MINUTE };
  const minutes = (ms: number) => instantIn({ type: 'clock', ms: ms * 60_000 }, clock) / MINUTE;

  test('a time of day is of the day of the trace, or of the next when it went on until then', () => {
    expect(minutes(23 * 60 + 55)).toBe(5);
    expect(minutes(10)).toBe(20);
    // Before the trace, because it ended before that time came again.
    expect(minutes(10 * 60)).toBe(-(13 * 60 + 50));
  });

  test('an instant is that of the wall clock, and a span is before the last row', () => {
    expect(instantIn({ type: 'wall', ms: clock.wall + 60_000 }, clock)).toBe(MINUTE);
    expect(instantIn({ type: 'ago', microseconds: MINUTE }, clock)).toBe(29 * MINUTE);
  });
});

describe('texts without the difference of case', () => {
  test('are folded character by character', () => {
    expect(fold('ΑΣ') + fold('Α')).toBe(fold('ΑΣΑ'));
    expect(fold('Straße ÉTÉ')).toBe('straße été');
    // What looks like an ASCII letter in lower case is none.
    expect(fold('\u212a\u0130')).toBe('\u212a\u0130');
  });

  test.each([
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'aXcYb', false],
    ['ab*ba', 'aba', false],
    ['*', '', true],
    ['*a*', 'bAb', true],
    ['a*', 'ba', false],
  ])('%s of %s: %s', (written, text, isSo) => {
    const [first = '', ...others] = written.split('*');
    expect(patternTest([first, ...others])(text)).toBe(isSo);
  });
});
