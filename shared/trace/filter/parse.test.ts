import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldOf, fields } from './fields.ts';
import { everything, type Filter } from './filter.ts';
import { parseFilter } from './parse.ts';
import { printFilter } from './print.ts';

function read(text: string): Filter {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.filter;
}

function errorOf(text: string) {
  const parsed = parseFilter(text);
  if (parsed.ok) throw new Error(`“${text}” can be read`);
  const { from, to, message } = parsed.error;
  return { at: text.slice(from, to), from, message };
}

const word = (text: string): Filter => ({ type: 'term', term: { field: 'word', text } });
const not = (part: Filter): Filter => ({ type: 'not', part });
const and = (...parts: Filter[]): Filter => ({ type: 'and', parts });
const or = (...parts: Filter[]): Filter => ({ type: 'or', parts });
const [a, b, c] = [word('a'), word('b'), word('c')];

describe('the parts of a filter', () => {
  test.each<[string, Filter]>([
    ['', everything],
    ['  ', everything],
    ['a', a],
    ['a b', and(a, b)],
    ['a or b', or(a, b)],
    ['a OR b c', or(a, and(b, c))],
    ['(a or b) c', and(or(a, b), c)],
    ['a (b c)', and(a, b, c)],
    ['-a b', and(not(a), b)],
    ['-(a or b)', not(or(a, b))],
    ['--a', not(not(a))],
    ['a and b', and(a, b)],
    ['a AND b or c', or(and(a, b), c)],
    ['a or b and c', or(a, and(b, c))],
    ['not a', not(a)],
    ['NOT a b', and(not(a), b)],
    ['a and not b', and(a, not(b))],
    ['not not a', not(not(a))],
    ['not (a or b)', not(or(a, b))],
    ['-not a', not(not(a))],
    ['!a b', and(not(a), b)],
    ['!(a or b)', not(or(a, b))],
    ['a!b', word('a!b')],
    ['"and" "not" "!a"', and(word('and'), word('not'), word('!a'))],
    ['And Not', and(word('And'), word('Not'))],
    ['"or"', word('or')],
    ['"-a (b"', word('-a (b')],
    ['"a \\"b\\" \\\\ \\n"', word('a "b" \\ \\n')],
    ['"a b"c', word('a bc')],
    // A piece of JSON is looked for as it was copied.
    ['{"id":7,"a"', word('{"id":7,"a"')],
    ['{"id":7,"say":"a (b) c"} b', and(word('{"id":7,"say":"a (b) c"}'), b)],
    ['{"id":7,"say":"a', word('{"id":7,"say":"a')],
    ['"level":"error"', word('"level":"error"')],
    ['-"level":"an error"', not(word('"level":"an error"'))],
    ['("level":"error" or b)', or(word('"level":"error"'), b)],
    ['"say":"a \\"b\\" c"', word('"say":"a \\"b\\" c"')],
    ['"say":"a', word('"say":"a')],
    ['"b","a"]', word('"b","a"]')],
    ['"{"id":7,"say":"a b"}" b', and(word('{"id":7,"say":"a b"}'), b)],
    ['"["a", "b"]"', word('["a", "b"]')],
    ['"{" b "}"', and(word('{'), b, word('}'))],
    ['a,b', word('a,b')],
    ['a-b', word('a-b')],
    ['http://127.0.0.1:3000/mcp', word('http://127.0.0.1:3000/mcp')],
    ['10:42', word('10:42')],
    ['"kind:stderr"', word('kind:stderr')],
  ])('%j', (text, filter) => {
    expect(read(text)).toEqual(filter);
  });

  test('a name may be written in any case, or as another word for it', () => {
    expect(read('KIND:Request')).toEqual(read('kind:request'));
    for (const { name, aliases } of fields)
      for (const alias of aliases) expect(fieldOf(alias)?.name).toBe(name);
    expect(new Set(fields.flatMap(({ name, aliases }) => [name, ...aliases])).size).toBe(
      fields.flatMap(({ name, aliases }) => [name, ...aliases]).length,
    );
  });
});

describe('the values of a field', () => {
  test.each<[string, object]>([
    ['method:tools/*,ping', { field: 'method', values: [['tools/', ''], ['ping']] }],
    ['name:"a*,b"**c', { field: 'name', values: [['a*,b', 'c']] }],
    ['tool:*', { field: 'tool', values: [['', '']] }],
    ['id:7', { field: 'id', values: [['7']] }],
    ['session:demo', { field: 'session', values: [['demo']] }],
    ['dir:in,out', { field: 'dir', values: ['in', 'out'] }],
    ['kind:stderr', { field: 'kind', values: ['stderr'] }],
    [
      'status:tool-error,-32602,404,4xx',
      {
        field: 'status',
        values: [{ status: 'tool-error' }, { code: -32602 }, { code: 404 }, { hundred: 4 }],
      },
    ],
    ['dur:>200ms', { field: 'dur', values: [{ low: 200_000, lowOpen: true, high: Infinity }] }],
    ['dur:<=1.5s', { field: 'dur', values: [{ low: -Infinity, high: 1_500_000 }] }],
    [
      'dur:1ms..5ms,7',
      {
        field: 'dur',
        values: [
          { low: 1000, high: 5000 },
          { low: 7000, high: 7000 },
        ],
      },
    ],
    ['level:>=warning', { field: 'level', values: [{ low: 3, high: Infinity }] }],
    ['LEVEL:<Notice', { field: 'level', values: [{ low: -Infinity, high: 2, highOpen: true }] }],
    [
      'severity:debug..info,emergency',
      {
        field: 'level',
        values: [
          { low: 0, high: 1 },
          { low: 7, high: 7 },
        ],
      },
    ],
    ['logger:db*', { field: 'logger', values: [['db', '']] }],
    ['dur:>=2m', { field: 'dur', values: [{ low: 120_000_000, high: Infinity }] }],
    ['dur:<3µs', { field: 'dur', values: [{ low: -Infinity, high: 3, highOpen: true }] }],
    ['size:>1.1kB', { field: 'size', values: [{ low: 1100, lowOpen: true, high: Infinity }] }],
    ['size:..2MB', { field: 'size', values: [{ low: -Infinity, high: 2_000_000 }] }],
    ['size:12', { field: 'size', values: [{ low: 12, high: 12 }] }],
    [
      'row:100..200,#7',
      {
        field: 'row',
        values: [
          { low: 100, high: 200 },
          { low: 7, high: 7 },
        ],
      },
    ],
    ['exchange:4', { field: 'exchange', values: [{ low: 4, high: 4 }] }],
    ['since:10:42', { field: 'since', instant: { type: 'clock', ms: 38_520_000 } }],
    ['until:10:42:03.5', { field: 'until', instant: { type: 'clock', ms: 38_523_500 } }],
    [
      'since:2026-11-21T10:42Z',
      { field: 'since', instant: { type: 'wall', ms: Date.UTC(2026, 10, 21, 10, 42) } },
    ],
    ['since:2026-11-21', { field: 'since', instant: { type: 'wall', ms: new Date(2026, 10, 21).getTime() } }],
    ['since:-5m', { field: 'since', instant: { type: 'ago', microseconds: 300_000_000 } }],
    [
      'finding:any,warning,schema/*,"error"',
      {
        field: 'finding',
        values: [{ any: true }, { severity: 'warning' }, { rule: ['schema/', ''] }, { rule: ['error'] }],
      },
    ],
    ['text:"a b",c*', { field: 'text', values: ['a b', 'c*'] }],
    ['text:"level":"error"', { field: 'text', values: ['"level":"error"'] }],
    ['text:{"id":7,"a":[1,2]},b', { field: 'text', values: ['{"id":7,"a":[1,2]}', 'b'] }],
    ['text:"{"id":7}",b', { field: 'text', values: ['{"id":7}', 'b'] }],
    ['mark:any,"any",later', { field: 'mark', values: [{ any: true }, { text: 'any' }, { text: 'later' }] }],
    ['is:error,ask', { field: 'is', values: ['error', 'ask'] }],
  ])('%s', (text, term) => {
    expect(read(text)).toEqual({ type: 'term', term });
  });

  test('every choice that is offered can be read', () => {
    for (const { name, choices } of fields) for (const { value } of choices) read(`${name}:${value}`);
  });
});

describe('an invalid filter is reported with its position', () => {
  test.each([
    ['a foo:1', 'foo', 'There is no field foo. To look for the text itself, put it in quotes.'],
    [
      'methd:x',
      'methd',
      'There is no field methd. Did you mean method:? To look for the text itself, put it in quotes.',
    ],
    [
      'kind:reqest',
      'reqest',
      /^kind: does not know “reqest”\. Did you mean request\? It knows request, notification, /,
    ],
    ['status:4,err0r', 'err0r', /Did you mean error\? It knows .* or another code\.$/],
    ['dir:sideways', 'sideways', 'dir: does not know “sideways”. It knows in, out.'],
    ['is:wrong', 'wrong', /^is: does not know “wrong”/],
    ['dur:5x', '5x', 'dur: cannot read “5x”. It wants >200ms, <=1.5s, 1ms..5ms.'],
    [
      'level:warn',
      'warn',
      /^level: does not know “warn”\. Did you mean warning\? It knows >=warning, debug,/,
    ],
    ['level:error..info', 'error..info', /does not know/],
    ['dur:5ms..1ms', '5ms..1ms', /cannot read/],
    ['size:>', '>', /cannot read/],
    ['size:99999999GB', '99999999GB', /cannot read/],
    ['row:1.5', '1.5', /cannot read/],
    ['since:25:00', '25:00', /cannot read/],
    ['since:2026-13-01', '2026-13-01', /cannot read/],
    ['until:10:42,10:43', '10:43', 'until: takes one time, not a list.'],
    ['a method:', '', 'method: wants a value: method, * for anything.'],
    ['name:a,,b', '', /^name: wants a value/],
    ['text:""', '""', /^text: wants a value/],
    ['since:', '', /^since: wants a value/],
    ['or a', 'or', /^or needs something before it/],
    ['a or', 'or', /^or needs something after it/],
    ['(a or) b', 'or', /^or needs something after it/],
    ['and a', 'and', /^and needs something before it/],
    ['(and a)', 'and', /^and needs something before it/],
    ['a and', 'and', /^and needs something after it/],
    ['(a and) b', 'and', /^and needs something after it/],
    ['a and or b', 'and', /^and needs something after it/],
    ['a or and b', 'or', /^or needs something after it/],
    ['a not', 'not', /^not needs something after it/],
    ['(not) a', 'not', /^not needs something after it/],
    ['not or a', 'not', /^not needs something after it/],
    ['a ! b', '!', /^Put - or ! directly before/],
    ['a (b', '(', 'This parenthesis is not closed.'],
    ['a (', '(', 'This parenthesis is not closed.'],
    ['a) b', ')', 'This parenthesis closes nothing.'],
    [')', ')', 'This parenthesis closes nothing.'],
    ['a ( )', '( )', 'There is nothing between these parentheses.'],
    ['a "b', '"b', 'This quote is not closed.'],
    ['name:a"b', '"b', 'This quote is not closed.'],
    ['""', '""', 'There is nothing between these quotes.'],
    ['a - b', '-', /^Put - or ! directly before/],
    ['-', '-', /^Put - or ! directly before/],
    ['(-)', '-', /^Put - or ! directly before/],
    [`${'('.repeat(200)}a${')'.repeat(200)}`, '(', 'This is nested too deeply.'],
    [`${'-'.repeat(200)}a`, '-', 'This is nested too deeply.'],
    [`${'not '.repeat(200)}a`, 'not', 'This is nested too deeply.'],
  ])('%j', (text, at, message) => {
    const error = errorOf(text);
    expect(error.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect(error.at).toBe(at);
  });
});

/** Pieces of which filters are made, and some that spoil them. */
const piece = fc.oneof(
  fc.constantFrom(...'()-!,":*\\. \t{}[]'.split(''), ' or ', ' OR ', '""', '"a b"', '..', '>', '<='),
  fc.constantFrom(' and ', ' AND ', ' not ', ' NOT ', '{"a":', '"a":"b"', '"{"a":1}"'),
  fc.constantFrom(
    'method:',
    'status:',
    'dur:',
    'size:',
    'since:',
    'finding:',
    'mark:',
    'kind:',
    'row:',
    'text:',
    'is:',
    'foo:',
  ),
  fc.constantFrom(
    'any',
    'error',
    'in',
    'request',
    '4xx',
    '-32602',
    '200ms',
    '1.5kB',
    '10:42',
    '-5m',
    '2026-11-21T10:42:03Z',
    '7',
    'a',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const anyText = fc.oneof(
  fc.array(piece, { maxLength: 14 }).map((all) => all.join('')),
  fc.string(),
);

const value: Readonly<Record<string, fc.Arbitrary<string>>> = {
  pattern: fc.constantFrom(
    'tools/call',
    'a*',
    '*',
    '"a b"*c',
    '""',
    '"*"',
    'a\\b',
    '"\\""',
    '"//a"',
    '"//"*',
  ),
  text: fc.constantFrom('a', '"a b"', '"\\\\"', 'x*', '"any"', '"//a"'),
  choice: fc.constant(''),
  status: fc.constantFrom('ok', '404', '-32602', '5xx'),
  duration: fc.tuple(fc.nat(1e6), fc.constantFrom('us', 'ms', 's', 'm')).map(([n, unit]) => `>=${n}${unit}`),
  size: fc.tuple(fc.nat(1e6), fc.nat(1e6)).map(([low, more]) => `${low}..${low + more}B`),
  level: fc.constantFrom('error', '>=warning', '<notice', '>info', '<=alert', 'debug..notice', '..info'),
  number: fc.nat().map((n) => `<${n}`),
  instant: fc.oneof(
    fc.nat(86_399_999).map((ms) => new Date(ms).toISOString().slice(11, -1)),
    fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
    fc.nat().map((n) => `-${n}us`),
  ),
  finding: fc.constantFrom('any', 'error', '"error"', 'schema/*', '"a b"'),
  mark: fc.constantFrom('any', '"any"', 'a', '"a b"', '"WARNING"'),
};

const term = fc.constantFrom(...fields).chain((field) => {
  const one =
    field.choices.length > 0 && field.form === 'choice'
      ? fc.constantFrom(...field.choices.map((choice) => choice.value))
      : (value[field.form] ?? fc.constant('a'));
  const most = field.form === 'instant' ? 1 : 3;
  return fc.array(one, { minLength: 1, maxLength: most }).map((all) => `${field.name}:${all.join(',')}`);
});
const spoken = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'medium' },
    term,
    fc.constantFrom('a', '"a b"', '"or"', '"and"', '"NOT"', '"!a"', '"kind:x"', '"-"', '"\\\\"'),
    fc.constantFrom('{"a":"b c"', '"a":"b"', '"{"a":1}"', '"a","b"', 'text:"a":{"b"', 'mark:{"a"'),
    tie('filter').map((one) => `-(${one})`),
    tie('filter').map((one) => `!(${one})`),
    tie('filter').map((one) => `not (${one})`),
    fc.tuple(tie('filter'), tie('filter')).map(([one, other]) => `(${one}) ${other}`),
    fc.tuple(tie('filter'), tie('filter')).map(([one, other]) => `(${one}) and ${other}`),
    fc.tuple(tie('filter'), tie('filter')).map(([one, other]) => `(${one}) or ${other}`),
  ),
})).filter;

test('any text is read or has a place where it cannot be', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const parsed = parseFilter(text);
      if (parsed.ok) return;
      const { from, to, message } = parsed.error;
      expect(0 <= from && from <= to && to <= text.length).toBe(true);
      expect(message).toMatch(/\.$/);
    }),
    { numRuns: 2000 },
  );
});

test('a filter that is printed reads as the same filter', () => {
  const check = (text: string) => {
    const parsed = parseFilter(text);
    if (parsed.ok) expect(read(printFilter(parsed.filter))).toEqual(parsed.filter);
    return parsed.ok;
  };
  fc.assert(
    fc.property(spoken, (text) => {
      expect(check(text)).toBe(true);
    }),
    { numRuns: 1000 },
  );
  fc.assert(
    fc.property(anyText, (text) => {
      check(text);
    }),
    { numRuns: 2000 },
  );
});
