import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { completeFilter } from './complete.ts';
import { fields } from './fields.ts';
import { parseFilter } from './parse.ts';
import { filterSpans } from './spans.ts';

const vocabulary = {
  methods: ['tools/call', 'tools/list', 'ping'],
  tools: ['echo', 'say "hi"'],
  names: ['echo', 'say "hi"', 'file:///a b'],
  loggers: ['db pool'],
  rules: ['schema/invalid'],
};

/** The texts that come of each option, `|` being the caret. */
function completed(written: string): string[] {
  const caret = written.indexOf('|');
  const text = written.replace('|', '');
  const { from, to, options } = completeFilter(text, caret, vocabulary);
  return options.map(({ insert }) => text.slice(0, from) + insert + text.slice(to));
}

describe('completion', () => {
  test('begins with all fields', () => {
    const all = fields.map(({ name }) => `${name}:`);
    expect(completed('|')).toEqual(all);
    expect(completed('a |')).toEqual(all.map((name) => `a ${name}`));
  });

  test.each([
    ['me|', ['method:']],
    ['du|', ['dur:']],
    ['a -ki|', ['a -kind:']],
    ['(o|', []],
    ['a and ki|', ['a and kind:']],
    ['not ki|', ['not kind:']],
    ['!ki|', ['!kind:']],
    ['ki|:stderr', ['kind:stderr']],
    ['ping|', ['method:ping']],
    ['ech|', ['tool:echo']],
    ['tools|', ['method:tools/call', 'method:tools/list']],
    ['method:to|', ['method:tools/call', 'method:tools/list']],
    ['method:li|', ['method:tools/list']],
    ['method:ping,to|', ['method:ping,tools/call', 'method:ping,tools/list']],
    ['name:"sa|', ['name:"say \\"hi\\""']],
    ['name:fi| b', ['name:"file:///a b" b']],
    ['dir:|', ['dir:in', 'dir:out']],
    ['dir:|in', ['dir:out']],
    ['-kind:std|', ['-kind:stderr']],
    ['status:4|', ['status:4xx']],
    ['level:wa|', ['level:warning', 'level:>=warning']],
    ['logger:db|', ['logger:"db pool"']],
    ['finding:sch|', ['finding:schema/invalid']],
    ['foo:|', []],
  ])('of %s', (written, expected) => {
    expect(completed(written)).toEqual(expected);
  });

  test('an option says what it is for', () => {
    const { options } = completeFilter('kind:std', 8, vocabulary);
    expect(options).toEqual([{ insert: 'stderr', label: 'stderr', hint: 'line of standard error' }]);
  });

  test('of a valid filter gives valid filters, and never fails', () => {
    const text = fc.array(
      fc.constantFrom('kind:', 'name:', 'stderr', 'e', ' ', '"', '(', ')', '-', 'or', ',', '*', 'tools'),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(text, fc.nat(), (parts, nat) => {
        const written = parts.join('');
        const caret = nat % (written.length + 1);
        const { from, to, options } = completeFilter(written, caret, vocabulary);
        expect(0 <= from && from <= caret && caret <= to && to <= written.length).toBe(true);
        const isEnd = to === written.length && parseFilter(written.slice(0, from) + 'a').ok;
        for (const { insert } of isEnd ? options : []) {
          const whole = written.slice(0, from) + insert;
          if (!insert.endsWith(':')) expect(parseFilter(whole)).toMatchObject({ ok: true });
        }
      }),
    );
  });
});

test('the parts of a filter are listed for coloring, even of an unfinished one', () => {
  const text = '-kind:stderr,"a b" (foo:x or b) name: and not !"a":"b c"';
  const parts = filterSpans(text).map(({ kind, from, to }) => [kind, text.slice(from, to)]);
  expect(parts).toEqual([
    ['operator', '-'],
    ['field', 'kind:'],
    ['value', 'stderr'],
    ['value', '"a b"'],
    ['operator', '('],
    ['text', 'foo:'],
    ['value', 'x'],
    ['operator', 'or'],
    ['text', 'b'],
    ['operator', ')'],
    ['field', 'name:'],
    ['operator', 'and'],
    ['operator', 'not'],
    ['operator', '!'],
    ['text', '"a":"b c"'],
  ]);
});
