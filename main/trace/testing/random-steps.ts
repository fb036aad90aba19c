import fc from 'fast-check';
import type { HttpRecording } from './http-recording.ts';

/** Something that happens to a recording. */
export type Step = (recording: HttpRecording) => void;

const WORDS = [
  'alpha',
  'Beta',
  'ALPHA beta',
  'é',
  'Éa',
  'Kelvin \u212a',
  '"quoted"',
  'line\nfeed',
  'a\\b',
  '\u0001x',
  'ς',
  'nAlpha',
  '😀',
];
export const METHODS = ['tools/call', 'ping', 'notifications/message', 'alpha'];
export const TOOLS = ['echo', 'Alpha', 'be ta'];
export const RULES = ['schema/invalid', 'envelope/alpha'];
const IDS = [1, 2, '1', 's-1'];

const word = fc.constantFrom(...WORDS);
const direction = fc.constantFrom<'in' | 'out'>('in', 'out');
const id = fc.constantFrom(...IDS);
/** One of what there is so far. */
const place = fc.nat(1000);

const request = fc
  .tuple(id, fc.constantFrom(...METHODS), fc.constantFrom(...TOOLS), word)
  .map(([own, method, name, text]) => ({ id: own, method, params: { name, text } }));
const notification = fc
  .tuple(fc.constantFrom(...METHODS), word)
  .map(([method, data]) => ({ method, params: { data } }));
const result = fc
  .tuple(id, word, fc.boolean())
  .map(([own, text, isError]) => ({ id: own, result: { text, ...(isError && { isError }) } }));
const error = fc
  .tuple(id, word, fc.constantFrom(-32602, -32000, 404))
  .map(([own, message, code]) => ({ id: own, error: { code, message } }));
const message = fc.oneof(request, notification, result, error);
const unit = fc.oneof(
  { weight: 6, arbitrary: message.map((one) => text(one)) },
  {
    weight: 1,
    arbitrary: fc.array(message, { minLength: 1, maxLength: 3 }).map((all) => `[${all.map(text).join(',')}]`),
  },
  { weight: 1, arbitrary: word },
  { weight: 1, arbitrary: word.map((one) => JSON.stringify({ one })) },
);

const text = (one: object): string => JSON.stringify({ jsonrpc: '2.0', ...one });

/** One of the exchanges there are; the first when there is none, which is then not on record. */
const exchangeOf = ({ trace }: HttpRecording, number: number): number => {
  const { columns } = trace.index;
  const count = Array.from({ length: columns.count }, (_, row) => columns.kind(row)).filter(
    (kind) => kind === 'http',
  ).length;
  return 1 + (number % Math.max(1, count));
};

/** Units whose pieces come one after the other; numbers of units that no other step takes. */
function pieces(way: 'in' | 'out', whole: string, cuts: readonly number[]): Step[] {
  const number = { unit: 0 };
  const characters = [...whole];
  const borders = [...new Set(cuts.map((cut) => cut % (characters.length + 1)))].sort((a, b) => a - b);
  const parts = [...borders, characters.length].map((end, order) =>
    characters.slice(borders[order - 1] ?? 0, end).join(''),
  );
  return parts.map((part, order) => (recording) => {
    if (order === 0) number.unit = --lastUnit;
    const more = order < parts.length - 1;
    const channel = way === 'in' ? 'stdout' : 'stdin';
    recording.piece({ direction: way, channel, unit: number.unit, first: order === 0, more }, part);
  });
}
let lastUnit = -1;

const step: fc.Arbitrary<Step[]> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(direction, unit, fc.constantFrom(undefined, 'automatic' as const, 'probe' as const))
      .map(([way, content, origin]): Step[] => [
        (recording) =>
          recording.piece(
            { direction: way, channel: way === 'in' ? 'stdout' : 'stdin', ...(origin && { origin }) },
            content,
          ),
      ]),
  },
  {
    weight: 1,
    arbitrary: direction.map((way): Step[] => [
      (recording) =>
        recording.piece({ direction: way, channel: 'stdout' }, Buffer.from([0xff, ...Buffer.from('alpha')])),
    ]),
  },
  { weight: 2, arbitrary: word.map((one): Step[] => [(recording) => recording.stderr(one)]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(direction, unit, fc.array(fc.nat(60), { maxLength: 4 }))
      .map(([way, whole, cuts]) => pieces(way, whole, cuts)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.option(request, { nil: undefined }), word)
      .map(([body, value]): Step[] => [
        (recording) =>
          void recording.request({ headers: [['X-Alpha', value]], ...(body && { body: text(body) }) }),
      ]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(place, fc.constantFrom(103, 200, 404, 500), word)
      .map(([one, status, value]): Step[] => [
        (recording) =>
          recording.response(exchangeOf(recording, one), status, {
            reason: 'Beta',
            headers: [['X-Told', value]],
            ...(status === 103 && { interim: true }),
          }),
      ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(place, unit, fc.constantFrom<'message' | 'body'>('message', 'body'))
      .map(([one, body, as]): Step[] => [
        (recording) => recording.body(exchangeOf(recording, one), body, as),
      ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        place,
        fc.oneof(
          message.map((one) => `id: 1\ndata: ${text(one)}\n\n`),
          fc.constant(': alpha\n\n'),
        ),
      )
      .map(([one, bytes]): Step[] => [(recording) => recording.stream(exchangeOf(recording, one), bytes)]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(place, fc.constantFrom<'complete' | 'failed' | 'dropped'>('complete', 'failed', 'dropped'))
      .map(([one, how]): Step[] => [
        (recording) => recording.end(exchangeOf(recording, one), how, { size: one }),
      ]),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(place, fc.option(fc.oneof(word, fc.constant('')))).map(([one, note]): Step[] => [
      ({ trace }) => {
        const { count } = trace.index.columns;
        if (count > 0) trace.mark(one % count, note);
      },
    ]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        place,
        fc.option(place),
        fc.constantFrom(...RULES),
        fc.constantFrom<'error' | 'warning' | 'info'>('error', 'warning', 'info'),
      )
      .map(([one, other, rule, severity]): Step[] => [
        ({ trace }) => {
          const { count } = trace.index.columns;
          if (count === 0) return;
          const problem = {
            rule,
            severity,
            source: 'schema' as const,
            text: rule,
            pointer: null,
            revision: null,
          };
          trace.findings.add({ problem, row: one % count, other: other === null ? null : other % count });
        },
      ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<'ready' | 'closing' | 'closed'>('ready', 'closing', 'closed')
      .map((phase): Step[] => [({ trace }) => trace.phase(phase, 'alpha')]),
  },
  { weight: 1, arbitrary: word.map((one): Step[] => [({ trace }) => trace.switches([one])]) },
);

/** Whatever may happen to a trace, in any order; the pieces of large units come in their order between others. */
export const randomSteps: fc.Arbitrary<Step[]> = fc
  .array(fc.tuple(step, place), { maxLength: 40 })
  .map((groups) => {
    const steps: { step: Step; at: number }[] = [];
    for (const [order, [group, gap]] of groups.entries()) {
      for (const [later, one] of group.entries()) steps.push({ step: one, at: order + later * (gap % 5) });
    }
    return steps.sort((a, b) => a.at - b.at).map((one) => one.step);
  });

const quoted = (one: string): string => `"${one.replaceAll(/["\\]/g, '\\$&')}"`;
const list = (one: fc.Arbitrary<string>) =>
  fc.array(one, { minLength: 1, maxLength: 2 }).map((all) => all.join(','));
const range = (units: readonly string[]) =>
  fc
    .tuple(fc.nat(300), fc.constantFrom(...units), fc.constantFrom('>', '<=', '', '..'))
    .map(([number, unitName, sign]) =>
      sign === '..' ? `${number}${unitName}..` : `${sign}${number}${unitName}`,
    );

const searched = fc.oneof(
  word,
  fc.constantFrom(
    'ALPHA',
    'lpha',
    ':',
    ' ',
    '"',
    '\\',
    'x-told: alpha',
    '404 beta',
    'k',
    'σ',
    '\ud83d',
    'n',
    'jsonrpc',
    '1f',
    '{"jsonrpc"',
    'http',
    'closed',
  ),
);

/** Terms that match some of such traces. */
const term = fc.oneof(
  { weight: 4, arbitrary: searched.map(quoted) },
  // Pieces of JSON as they are copied.
  fc.constantFrom('{"jsonrpc"', '"text":"alpha"', '"jsonrpc":"2.0","id"', '"name":"be ta"', 'text:"id":1'),
  { weight: 3, arbitrary: list(searched.map(quoted)).map((all) => `text:${all}`) },
  list(fc.constantFrom(...METHODS, 'POST', 'no*', '*A*')).map((all) => `method:${all}`),
  list(fc.constantFrom('echo', 'alph*', '"be ta"', '/mcp')).map((all) => `name:${all}`),
  list(fc.constantFrom('echo', 'a*', '*')).map((all) => `tool:${all}`),
  list(fc.constantFrom('1', '2', 's-1', '*')).map((all) => `id:${all}`),
  fc.constantFrom('dir:in', 'dir:out', 'session:under*', 'session:other', 'until:-100us', 'since:-200us'),
  list(fc.constantFrom('request', 'result', 'noise', 'http', 'stderr', 'sse', 'phase')).map(
    (all) => `kind:${all}`,
  ),
  list(fc.constantFrom('pending', 'ok', 'error', '404', '4xx', '-32602', 'none', 'receiving')).map(
    (all) => `status:${all}`,
  ),
  list(range(['us', 'ms'])).map((all) => `dur:${all}`),
  list(range(['B', ''])).map((all) => `size:${all}`),
  list(range([''])).map((all) => `row:${all}`),
  list(range([''])).map((all) => `exchange:${all}`),
  list(fc.constantFrom('any', 'error', 'info', ...RULES, '*alpha')).map((all) => `finding:${all}`),
  list(fc.oneof(fc.constant('any'), word.map(quoted))).map((all) => `mark:${all}`),
  list(fc.constantFrom('error', 'call', 'ask', 'automatic', 'probe', 'marked', 'found')).map(
    (all) => `is:${all}`,
  ),
);

/** Texts of filters that match some of the rows of such traces. */
export const randomFilters: fc.Arbitrary<string> = fc.oneof(
  fc.constant(''),
  fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      term,
      fc.tuple(tie('filter'), fc.constantFrom('-', '!', 'not ')).map(([one, sign]) => `${sign}(${one})`),
      fc
        .tuple(tie('filter'), tie('filter'), fc.constantFrom('', 'and '))
        .map(([one, other, and]) => `(${one}) ${and}(${other})`),
      fc.tuple(tie('filter'), tie('filter')).map(([one, other]) => `(${one}) or (${other})`),
    ),
  })).filter,
);
