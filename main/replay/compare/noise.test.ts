import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { noiseOf } from './noise.ts';
import type { Moments } from './stamps.ts';
import { ValueComparer } from './value-differences.ts';

const HOUR = 3_600_000;
const moments = {
  recorded: Date.parse('2026-11-20T14:23:41.307Z'),
  other: Date.parse('2026-11-24T08:51:07.912Z'),
};

const iso = (at: number): string => new Date(at).toISOString();
const two = (value: number): string => String(value).padStart(2, '0');
/** A time of day as people in the US write it. */
function halfDay(at: number): string {
  const date = new Date(at);
  const hours = date.getUTCHours();
  const rest = `${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${hours % 12 || 12}:${rest} ${hours < 12 ? 'AM' : 'PM'}`;
}
const monthName = (at: number): string =>
  new Date(at).toLocaleString('en-US', { month: 'long', timeZone: 'UTC' });
const dayOf = (at: number): number => new Date(at).getUTCDate();
const shiftedIso = (at: number, hours: number, zone: string): string =>
  iso(at + hours * HOUR).replace('Z', zone);
/** A hexadecimal number made of a moment, as random as one. */
const hex = (at: number, length: number): string =>
  createHash('sha512').update(String(at)).digest('hex').slice(0, length);
const uuidOf = (digits: string, version: string): string =>
  `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${version}${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
const ticks = (at: number): string =>
  (BigInt(at) * 10_000n + 122_192_928_000_000_000n).toString(16).padStart(15, '0');
const base62 = (at: number, length: number): string =>
  createHash('sha512')
    .update(`${at}`)
    .digest('base64')
    .replaceAll(/[^A-Za-z\d]/g, '')
    .slice(0, length);

/** How a server writes the moment at which it answers. */
const stamps: Record<string, (at: number) => string | number> = {
  iso,
  'without milliseconds': (at) => iso(at).replace(/\.\d+/, ''),
  microseconds: (at) => iso(at).replace('Z', '123Z'),
  nanoseconds: (at) => iso(at).replace('Z', '123456Z'),
  'with a zone': (at) => shiftedIso(at, 2, '+02:00'),
  'with a zone without a colon': (at) => shiftedIso(at, -5, '-0500'),
  'in a zone of three quarters': (at) => shiftedIso(at, 5.75, '+05:45'),
  'with a wrong zone, each time': (at) => iso(at).replace('Z', '+02:00'),
  'without a zone': (at) => iso(at).slice(0, 19),
  'local time of a machine elsewhere': (at) => shiftedIso(at, 13, '').slice(0, 19),
  'with a blank': (at) => iso(at).slice(0, 19).replace('T', ' '),
  'with a blank and a zone': (at) => `${iso(at).slice(0, 19).replace('T', ' ')} +0000`,
  'of Go': (at) => `${iso(at).slice(0, 23).replace('T', ' ')} +0000 UTC m=+${(at % 7000) / 1000}01`,
  'of a logger': (at) => `[${iso(at).slice(0, 19).replace('T', ' ')},${two(at % 100)}0] INFO started`,
  'with slashes': (at) => iso(at).slice(0, 19).replaceAll('-', '/').replace('T', ' '),
  'minutes only': (at) => `${iso(at).slice(0, 16)}Z`,
  'of HTTP': (at) => new Date(at).toUTCString(),
  'of mail': (at) => new Date(at).toUTCString().replace('GMT', '+0000'),
  'of a Date': (at) =>
    `${new Date(at).toUTCString().slice(0, 3)} ${monthName(at).slice(0, 3)} ${two(dayOf(at))} 2026 ${iso(at).slice(11, 19)} GMT+0000 (Coordinated Universal Time)`,
  'of ctime': (at) =>
    `${new Date(at).toUTCString().slice(0, 3)} ${monthName(at).slice(0, 3)} ${dayOf(at)} ${iso(at).slice(11, 19)} 2026`,
  'of date': (at) =>
    `${new Date(at).toUTCString().slice(0, 3)} ${monthName(at).slice(0, 3)} ${dayOf(at)} ${iso(at).slice(11, 19)} UTC 2026`,
  'of a web server': (at) => `${dayOf(at)}/${monthName(at).slice(0, 3)}/2026:${iso(at).slice(11, 19)} +0000`,
  'of the US': (at) => `11/${dayOf(at)}/2026, ${halfDay(at)}`,
  'of the UK': (at) => `${dayOf(at)}/11/2026, ${iso(at).slice(11, 19)}`,
  'of Germany': (at) => `${dayOf(at)}.11.2026, ${iso(at).slice(11, 19)}`,
  'in words': (at) => `${monthName(at)} ${dayOf(at)}, 2026 at ${halfDay(at)}`,
  'in words, the day first': (at) => `${dayOf(at)} ${monthName(at)} 2026 at ${iso(at).slice(11, 19)}`,
  'time of day': (at) => iso(at).slice(11, 19),
  'time of day with milliseconds': (at) => iso(at).slice(11, 23),
  'half a day': halfDay,
  'half a day in another zone': (at) => halfDay(at + 9 * HOUR),
  'name of a file': (at) => `page-${iso(at).replaceAll(/[:.]/g, '-')}.yml`,
  'name of a picture': (at) =>
    `Screenshot ${iso(at).slice(0, 10)} ${iso(at).slice(11, 19).replaceAll(':', '.')}.png`,
  'name with underscores': (at) => `dump_${iso(at).slice(0, 19).replaceAll(/[T:-]/g, '_')}.sql`,
  'name with dashes': (at) => `run-${iso(at).slice(0, 19).replaceAll(/[T:]/g, '-')}`,
  compact: (at) => iso(at).replaceAll(/[-:]/g, '').slice(0, 15),
  'compact with a zone': (at) => `backup-${iso(at).replaceAll(/[-:]/g, '').slice(0, 15)}Z.tar`,
  'compact digits': (at) => `log-${iso(at).replaceAll(/\D/g, '').slice(0, 14)}`,
  'compact to the millisecond': (at) => iso(at).replaceAll(/\D/g, ''),
  'compact with an underscore': (at) =>
    `IMG_${iso(at).replaceAll(/[-:]/g, '').slice(0, 15).replace('T', '_')}.jpg`,
  'milliseconds since the epoch': (at) => at,
  'seconds since the epoch': (at) => Math.floor(at / 1000),
  'a fraction of seconds': (at) => at / 1000,
  'microseconds since the epoch': (at) => at * 1000,
  'nanoseconds since the epoch, as text': (at) => `${at}000000`,
  'milliseconds in a text': (at) => `at ${at} done`,
  'seconds in a name': (at) => `job_${Math.floor(at / 1000)}.json`,
  'an expiry in an hour': (at) => iso(at + HOUR),
  'an expiry in a day, in seconds': (at) => Math.floor((at + 24 * HOUR) / 1000),
  'the start of the server an hour ago': (at) => iso(at - HOUR),
  'the begin of the hour': (at) => iso(Math.floor(at / HOUR) * HOUR),
  'the end of the day': (at) => iso(Math.ceil(at / (24 * HOUR)) * 24 * HOUR),
  'two times': (at) => `from ${iso(at - 5000)} to ${iso(at)}`,
};

/** What is made up for each answer and can be recognized, whatever it is called. */
const ids: Record<string, (at: number) => string> = {
  uuid: (at) => uuidOf(hex(at, 32), '4'),
  'uuid in capitals': (at) => uuidOf(hex(at, 32), '4').toUpperCase(),
  'uuid in a text': (at) => `session ${uuidOf(hex(at, 32), '4')} opened`,
  'uuid in a path': (at) => `/tmp/${uuidOf(hex(at, 32), '4')}/out.txt`,
  'uuid of version 7': (at) => uuidOf(at.toString(16).padStart(12, '0') + hex(at, 20), '7'),
  'uuid of version 1': (at) =>
    uuidOf(`${ticks(at).slice(7)}${ticks(at).slice(3, 7)}1${ticks(at).slice(0, 3)}${hex(at, 16)}`, '1'),
  'uuid of version 6': (at) => uuidOf(`${ticks(at).slice(0, 12)}6${ticks(at).slice(12)}${hex(at, 16)}`, '6'),
  'uuid with a time': (at) => `${uuidOf(hex(at, 32), '4')} since ${iso(at)}`,
  'placeholder of a secret': (at) => `Bearer [secret header, 20 characters, ${hex(at, 8)}]`,
  'placeholder and a time': (at) => `[secret header, 20 characters, ${hex(at, 8)}] until ${iso(at)}`,
};

/** What is random, which only a name says. */
const named: [name: string, (at: number) => string][] = [
  ['id', (at) => hex(at, 24)],
  ['requestId', (at) => `req_${base62(at, 24)}`],
  ['request_id', (at) => base62(at, 21)],
  ['requestid', (at) => hex(at, 32)],
  ['traceID', (at) => hex(at, 32)],
  ['spanId', (at) => hex(at, 16)],
  ['x-request-id', (at) => base62(at, 22)],
  ['ulid', (at) => `01HZX3${hex(at, 20).toUpperCase()}`],
  ['etag', (at) => hex(at, 40)],
  ['nonce', (at) => base62(at, 22)],
  ['accessToken', (at) => base62(at, 40)],
  ['cursor', (at) => Buffer.from(`offset:${at}`).toString('base64')],
  ['next_cursor', (at) => Buffer.from(`offset:${at}`).toString('base64')],
  ['pageCursor', (at) => base62(at, 12)],
];

/** Two values that mean something else, and have a name that says so. */
const data: [name: string, recorded: unknown, other: unknown][] = [
  // Numbers that a name used to make a time.
  ['population', 1_411_778_724, 2_411_778_724],
  ['installation', 1_234_567_890, 1_234_567_891],
  ['duration', 1_700_000_000, 1_700_000_007],
  ['conversation', 1_600_000_000, 1_600_000_001],
  ['latitude', 1_234_567_890_123, 1_234_567_890_124],
  ['lifetime', 1_500_000_000, 1_500_000_100],
  ['estimate', 1_900_000_000, 1_900_000_001],
  ['updates', 1_300_000_000, 1_300_000_001],
  ['candidate', 2_000_000_000, 2_000_000_001],
  ['seat', 1_111_111_111, 1_111_111_112],
  ['createdAt', 1_262_304_000, 1_262_304_001],
  ['expires', 4_102_444_800, 4_102_444_801],
  ['version', 1_732_400_000, 1_732_400_001],
  ['modified', 5, 6],
  // What looks like a time of day.
  ['mac', '00:11:22:33:44:55', '66:77:88:99:00:11'],
  ['mac', '0a:11:22:33:44:55', '0a:11:22:33:44:56'],
  ['mac', '00:11:22:33:44:55', '00:11:22:33:44:56'],
  ['ipv6', 'fe80::1:22:33', 'fe80::1:22:34'],
  ['length', '01:23:45', '00:00:01'],
  ['length', '00:01:30', '00:02:30'],
  ['timecode', '10:00:00:12', '10:00:01:12'],
  ['position', '00:42:17.500', '00:42:18.500'],
  ['lap', '0:01:23', '0:01:24'],
  ['opens', '09:00:00', '10:00:00'],
  ['alarm', '7:30:00 AM', '8:30:00 AM'],
  ['closes', '5:12:09 PM', '6:44:10 PM'],
  ['timeOfDay', '09:00', '10:00'],
  ['ratio', '16:9:1', '4:3:1'],
  // Fixed dates.
  ['starts', '2031-05-01T09:00:00+02:00', '2031-05-01T07:00:00+02:00'],
  ['starts', '2031-05-01T09:00:00+02:00', '2031-05-01T09:00:00Z'],
  ['born', '1990-01-01T00:00:00Z', '1990-01-02T00:00:00Z'],
  ['released', '2024-11-05T12:00:01Z', '2024-11-06T12:00:02Z'],
  ['founded', 'Mon, 01 Jan 2001 10:11:12 GMT', 'Tue, 02 Jan 2001 10:11:12 GMT'],
  ['due', '2026-01-01', '2026-02-01'],
  ['due', '2026-11-20', '2026-11-24'],
  ['eventTime', '2026-01-01T09:00:00Z', '2025-05-05T09:00:00Z'],
  ['text', 'the meeting of 2026-03-04 10:11', 'the meeting of 2026-03-04 11:11'],
  ['license', '20300101T000000Z', '20310101T000000Z'],
  ['file', 'report-2020-01-02T03-04-05-678Z.yml', 'report-2020-01-02T03-04-06-678Z.yml'],
  ['file', 'IMG_20190102_030405.jpg', 'IMG_20190102_030406.jpg'],
  ['published', 'January 5, 2025 at 3:04:05 PM', 'January 6, 2025 at 3:04:05 PM'],
  ['holiday', '12/24/2026, 6:00:00 PM', '12/25/2026, 6:00:00 PM'],
  // Near one side only, or not a time on both.
  ['created', '2019-02-03T04:05:06Z', iso(moments.other)],
  ['created', iso(moments.recorded), '2019-02-03T04:05:06Z'],
  ['created', iso(moments.recorded), iso(moments.recorded + 1000)],
  ['created', moments.recorded, moments.recorded + 7],
  ['created', moments.recorded, Math.floor(moments.other / 1000)],
  ['created', iso(moments.recorded), new Date(moments.other).toUTCString()],
  ['created', iso(moments.recorded), 'never'],
  ['created', iso(moments.recorded), null],
  ['log', `ok ${iso(moments.recorded)}`, `bad ${iso(moments.other)}`],
  ['log', `${iso(moments.recorded)} 5 rows`, `${iso(moments.other)} 6 rows`],
  ['log', `${iso(moments.recorded)} INFO`, `${iso(moments.other)} WARN`],
  ['log', `a ${iso(moments.recorded)}`, `a ${iso(moments.other)} ${iso(moments.other)}`],
  ['range', `${iso(moments.recorded)}/2020-01-01T00:00:01Z`, `${iso(moments.other)}/2020-01-02T00:00:01Z`],
  // A zone that shifted, and plans of the day.
  ['now', iso(moments.recorded), iso(moments.other - 2 * HOUR)],
  ['now', shiftedIso(moments.recorded, 1, '+01:00'), shiftedIso(moments.other, 1, 'Z')],
  ['now', Math.floor(moments.recorded / 1000), Math.floor(moments.other / 1000) + 3600],
  ['now', moments.recorded, moments.other + 5.5 * HOUR],
  ['starts', '2026-11-20T15:00:00Z', '2026-11-24T14:00:00Z'],
  ['starts', '2026-11-20T15:00:00+01:00', '2026-11-24T15:15:00+01:00'],
  // Ids that mean something.
  ['id', '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '6ba7b811-9dad-11d1-80b4-00c04fd430c8'],
  ['id', '00000000-0000-0000-0000-000000000000', uuidOf(hex(1, 32), '4')],
  ['id', uuidOf(hex(1, 32), '5'), uuidOf(hex(2, 32), '5')],
  ['id', uuidOf(hex(1, 32), '3'), uuidOf(hex(2, 32), '3')],
  ['id', uuidOf(hex(1, 32), '4'), 'first'],
  ['id', uuidOf('017f22e279b0' + hex(1, 20), '7'), uuidOf('017f22e279b1' + hex(2, 20), '7')],
  ['userId', 'user-123', 'user-124'],
  ['userId', 'customer-europe-0001', 'customer-europe-0002'],
  ['userId', 'customer-berlin-0001', 'customer-london-0002'],
  ['orderId', 'ORD-2026-000000123', 'ORD-2026-000000124'],
  ['sessionId', `${hex(1, 31)}0`, `${hex(1, 31)}1`],
  ['valid', hex(1, 16), hex(2, 16)],
  ['grid', `${hex(1, 20)}a1`, `${hex(2, 20)}b2`],
  ['android', base62(1, 24), base62(2, 24)],
  ['digest', `sha256:${hex(1, 64)}`, `sha256:${hex(2, 64)}`],
  ['hash', hex(1, 64), hex(2, 64)],
  ['cursor', 'pointer', 'default'],
  ['mouseCursor', 'grab', 'text'],
  ['precursor', 'a1b2c3', 'd4e5f6'],
  ['taskId', 'T-100', 'T-101'],
  ['requestState', 'open', 'closed'],
  ['nextCursor', 'north', 'south'],
  // Plain values.
  ['price', 10, 11],
  ['phone', '+4915112345678', '+4915112345679'],
  ['isbn', '9783161484100', '9783161484117'],
  ['zip', '90210', '90211'],
  ['sku', 'A1B2C3D4E5F6', 'A1B2C3D4E5F7'],
  ['version', '1.2.3', '1.2.4'],
  ['duration', 'PT1H', 'PT2H'],
  ['year', 2025, 2026],
  ['tz', 'UTC', 'CET'],
  ['offset', '+01:00', '+02:00'],
  ['coordinates', '12:34:56 N', '12:34:57 N'],
];

const compare = (recorded: unknown, other: unknown, at: Moments = moments) =>
  new ValueComparer([]).compare(JSON.stringify(recorded), JSON.stringify(other), { moments: at });

/** Where a tool may put a value. */
const places: Record<string, (name: string, value: unknown) => unknown> = {
  'as text': (_, value) => ({
    content: [{ type: 'text', text: `v: ${typeof value === 'string' ? value : JSON.stringify(value)}` }],
  }),
  'by its name': (name, value) => ({ content: [], structuredContent: { [name]: value } }),
  'by another name': (_, value) => ({ content: [], structuredContent: { value } }),
  'in JSON in a text': (name, value) => ({
    content: [{ type: 'text', text: JSON.stringify({ [name]: [value] }) }],
  }),
};
const eachPlace = Object.entries(places);

describe('a time near its own recording is noise, whatever it is called', () => {
  test.each(Object.entries(stamps))('%s', (name, write) => {
    for (const [place, put] of eachPlace) {
      const { differences, ignored } = compare(
        put(name, write(moments.recorded)),
        put(name, write(moments.other)),
      );
      expect(differences, place).toEqual([]);
      expect(
        ignored.map(({ why }) => why),
        place,
      ).toEqual(['time']);
    }
  });
});

describe('an id that is made up for each answer is noise', () => {
  test.each(Object.entries(ids))('%s', (name, write) => {
    for (const [place, put] of eachPlace)
      expect(
        compare(put(name, write(moments.recorded)), put(name, write(moments.other))).differences,
        place,
      ).toEqual([]);
  });

  test.each(named)('%s', (name, write) => {
    const of = (at: number) => ({ structuredContent: { [name]: write(at) } });
    const { differences, ignored } = compare(of(moments.recorded), of(moments.other));
    expect(differences).toEqual([]);
    expect(ignored).toHaveLength(1);
  });
});

describe('data is a difference', () => {
  test.each(data)('%s: %j and %j', (name, recorded, other) => {
    for (const [place, put] of eachPlace) {
      expect(compare(put(name, recorded), put(name, other)).differences, place).toHaveLength(1);
      expect(compare(put(name, other), put(name, recorded)).differences, place).toHaveLength(1);
    }
  });
});

test('the table has twice the values of the one that was handed over', () => {
  const noise = Object.keys(stamps).length + Object.keys(ids).length;
  expect((noise + data.length) * eachPlace.length + named.length).toBeGreaterThanOrEqual(380);
});

describe('an expected result, of which the time is not known', () => {
  const unknown = { recorded: null, other: moments.other };
  const of = (value: unknown) => ({ structuredContent: { value } });

  test.each([
    ['2026-01-07T10:11:12.5Z', iso(moments.other)],
    [1_767_261_607, Math.floor(moments.other / 1000)],
    ['page-2025-12-24T10-11-12-907Z.yml', `page-${iso(moments.other).replaceAll(/[:.]/g, '-')}.yml`],
    ['10:11:12 AM', halfDay(moments.other)],
  ])('accepts %j for what is now %j', (recorded, now) => {
    expect(compare(of(recorded), of(now), unknown).differences).toEqual([]);
  });

  test.each([
    ['2031-05-01T09:00:00+02:00', '2031-05-01T07:00:00+02:00'],
    ['2019-01-07T10:11:12.5Z', iso(moments.other)],
    ['2031-01-07T10:11:12.5Z', iso(moments.other)],
    ['2026-01-07T09:00:00Z', iso(moments.other)],
    ['2026-01-07T10:11:12.5Z', '2026-01-07T10:11:13.5Z'],
    [1_411_778_724, 2_411_778_724],
    ['01:23:45', '00:00:01'],
    ['00:11:22:33:44:55', '66:77:88:99:00:11'],
  ])('does not accept %j for what is now %j', (recorded, now) => {
    expect(compare(of(recorded), of(now), unknown).differences).toHaveLength(1);
  });

  test('is compared with every time where no moment is known', () => {
    const [one, other] = [JSON.stringify(iso(moments.recorded)), JSON.stringify(iso(moments.other))];
    expect(noiseOf(['at'], one, other)).toBeNull();
    expect(noiseOf(['at'], one, other, moments)).toBe('time');
  });
});

test('members of the protocol are noise where the protocol has them', () => {
  const differences = (recorded: unknown, other: unknown) => compare(recorded, other).differences.length;
  expect(differences({ nextCursor: 'b3' }, { nextCursor: 'x7' })).toBe(0);
  expect(differences({ task: { taskId: '7' } }, { task: { taskId: '8' } })).toBe(0);
  expect(differences({ requestState: 'a' }, { requestState: 'b' })).toBe(0);
  expect(differences({ content: [{ _meta: { a: 1 } }] }, { content: [{ _meta: { a: 2 } }] })).toBe(0);
  expect(
    differences({ structuredContent: { _meta: { a: 1 } } }, { structuredContent: { _meta: { a: 2 } } }),
  ).toBe(1);
});
