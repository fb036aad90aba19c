/**
 * Times written in a text, in the forms that servers, loggers and file names use. A time is a stamp, and so noise, only if it is near
 * the moment at which its own side was received. A day covers an expiry of a day, clocks that are wrong, and times without a zone,
 * which may be up to 14 hours from UTC.
 */

/** When each side was received, in milliseconds since the Unix epoch; null where it is not known. */
export interface Moments {
  readonly recorded: number | null;
  readonly other: number | null;
}

export const unknownMoments: Moments = { recorded: null, other: null };

/** A time in a text. */
export interface Stamp {
  /** Which of the forms; times of different forms are never compared. */
  readonly form: string;
  /** The hours of its clock, of a time of day; null with a date. */
  readonly clock: 12 | 24 | null;
  readonly start: number;
  readonly end: number;
  /** What it may mean, in milliseconds since the Unix epoch, as if it were UTC without a zone; of a time of day, since midnight. */
  readonly instants: readonly number[];
  readonly hasZone: boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How far a stamp may be from its moment: a day, and some time that a call takes. */
const NEAR = DAY + HOUR;
/** How far a time of day may be from that of its moment. */
const NEAR_CLOCK = 2 * MINUTE;
/** MCP was published then: nothing of a server was recorded before. */
const FIRST_RECORDING = Date.UTC(2024, 10, 1);
/** Zones differ by quarter hours; two stamps that are this near to a number of them differ by their zone. */
const SHIFT_TOLERANCE = 2 * SECOND;
/** The quarter hours from UTC that a zone may be. */
const FIRST_ZONE = -12 * 4;
const LAST_ZONE = 14 * 4;

/** The groups that a form has. */
type Groups = Readonly<Record<string, string | undefined>>;

interface Form {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instants: (groups: Groups, text: string) => readonly number[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const weekday = String.raw`(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?`;
const monthName = String.raw`(?<month>(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6})`;
const time = String.raw`(?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?:[ \u202f]?(?<half>[AaPp][Mm]))?`;
/** `m=+0.01` is what Go adds: the monotonic clock. */
const zone = String.raw`(?: ?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)(?!\w))?(?: UTC)?(?: m=[+-]\d{1,12}\.\d{1,9})?`;
const zoneOfDate = String.raw`(?: ?(?<zone>Z|UTC|GMT(?:[+-]\d\d:?\d\d)?|[+-]\d\d:?\d\d)(?![\w:]))?(?: \([A-Z][A-Za-z ]{1,60}\))?`;

const formOf = (name: string, source: string, instants: Form['instants'] = dated): Form => ({
  name,
  pattern: new RegExp(source, 'g'),
  instants,
});

/** The first that matches at a place counts. */
const forms: readonly Form[] = [
  formOf(
    'iso',
    String.raw`(?<!\d)(?<year>\d{4})[-/.](?<monthNumber>\d\d)[-/.](?<day>\d\d)(?:[T _]|, ?)${time}${zone}(?![\d:])`,
  ),
  formOf(
    'file name',
    String.raw`(?<!\d)(?<year>\d{4})[-_.](?<monthNumber>\d\d)[-_.](?<day>\d\d)[T_ -](?<hour>\d\d)[-_.h](?<minute>\d\d)[-_.m](?<second>\d\d)(?:[-_.](?<fraction>\d{9}|\d{6}|\d{3}))?(?<zone>Z|[+-]\d{4})?(?!\d)`,
  ),
  formOf(
    'compact',
    String.raw`(?<!\d)(?<year>20\d\d)(?<monthNumber>\d\d)(?<day>\d\d)[T_-]?(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?:[.,_-]?(?<fraction>\d{6}|\d{3}))?(?<zone>Z|[+-]\d{4})?(?!\d)`,
  ),
  formOf(
    'day and month',
    String.raw`${weekday}(?<!\d)(?<day>\d\d?)[ /-]${monthName}[ /-](?<year>\d{4})(?:,? (?:at )?|:)${time}${zoneOfDate}(?![\d:])`,
  ),
  formOf(
    'month and day',
    String.raw`${weekday}(?<![A-Za-z])${monthName} {1,2}(?<day>\d\d?),? (?<year>\d{4}),? (?:at )?${time}${zoneOfDate}(?![\d:])`,
  ),
  formOf(
    'ctime',
    String.raw`${weekday}(?<![A-Za-z])${monthName} {1,2}(?<day>\d\d?) ${time}(?: (?<zone>UTC|GMT))? (?<year>\d{4})(?!\d)`,
  ),
  formOf(
    'numbers',
    String.raw`(?<!\d)(?<first>\d\d?)[/.](?<then>\d\d?)[/.](?<year>\d{4}),? ${time}(?![\d:])`,
    datedEitherWay,
  ),
  formOf(
    'clock',
    String.raw`(?<![\w:.-])(?<hour>\d\d?):(?<minute>\d\d):(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?(?:[ \u202f]?(?<half>[AaPp][Mm]))?(?![\w:])`,
    (groups) => timeOf(groups, [1970, 0, 1]),
  ),
  formOf(
    'epoch',
    String.raw`(?<![\d.])(?:\d{19}|\d{16}|\d{13}|\d{10}(?:\.\d{1,9})?)(?![\d.]*\d)`,
    (_, text) => epochOf(text),
  ),
];

/** The times in a text, in their order. */
export function stampsIn(text: string): Stamp[] {
  const found: Stamp[] = [];
  for (const { name, pattern, instants } of forms) {
    for (const match of text.matchAll(pattern)) {
      const [written] = match;
      const groups: Groups = match.groups ?? {};
      const meant = instants(groups, written);
      const [start, end] = [match.index, match.index + written.length];
      if (meant.length === 0) continue;
      const hours = groups.half === undefined ? 24 : 12;
      const unit = name === 'epoch' ? unitOf(meant[0] ?? 0, Number(written)) : hours;
      found.push({
        form: `${name} ${unit}`,
        clock: name === 'clock' ? hours : null,
        start,
        end,
        instants: meant,
        hasZone: groups.zone !== undefined || name === 'epoch',
      });
    }
  }
  const inOrder = found.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const apart: Stamp[] = [];
  for (const stamp of inOrder) if (stamp.start >= (apart.at(-1)?.end ?? 0)) apart.push(stamp);
  return apart;
}

/** The time that a number means: seconds, or a thousand, a million or a billion times as many, since the Unix epoch. */
export function stampOfNumber(value: number): Stamp | null {
  const instants = epochOf(String(value));
  const [instant] = instants;
  if (instant === undefined) return null;
  const form = `epoch ${unitOf(instant, value)}`;
  return { form, clock: null, start: 0, end: 0, instants, hasZone: true };
}

/** Whether two different times are each a stamp of the moment at which its side was received. */
export function areStamps(left: Stamp, right: Stamp, { recorded, other }: Moments): boolean {
  if (left.form !== right.form) return false;
  if (left.clock !== null) return areClocks(left, right, { recorded, other });
  return left.instants.some((one) =>
    right.instants.some((another) => {
      if (recorded === null || other === null) {
        // Of one side nothing but the value is known: what is near the moment of the other side may have been recorded before.
        const [known, moment, unknown] = recorded === null ? [another, other, one] : [one, recorded, another];
        return (
          moment !== null &&
          isNear(known, moment) &&
          unknown >= FIRST_RECORDING &&
          unknown <= moment + NEAR &&
          !isRound(unknown)
        );
      }
      if (!isNear(one, recorded) || !isNear(another, other)) return false;
      if (isRound(one) && isRound(another)) return areRounded(one, another, { recorded, other });
      return !(left.hasZone && right.hasZone && isShift(another - other - (one - recorded)));
    }),
  );
}

/** Whether a time, such as one in an id, may be of the moment at which its side was received. */
export const isNear = (instant: number, moment: number): boolean => Math.abs(instant - moment) <= NEAR;

/** A time on a quarter of an hour was planned, such as a meeting or a deadline: few stamps fall on one by chance. */
const isRound = (instant: number): boolean => instant % QUARTER === 0;

/** Whether both are the start of the hour or the day of their moment, or of the next one, such as the reset of a limit. */
const areRounded = (
  one: number,
  another: number,
  { recorded, other }: Record<keyof Moments, number>,
): boolean =>
  [HOUR, DAY].some((unit) =>
    [Math.floor, Math.ceil].some(
      (round) => one === round(recorded / unit) * unit && another === round(other / unit) * unit,
    ),
  );

function isShift(difference: number): boolean {
  const quarters = Math.round(difference / QUARTER);
  return quarters !== 0 && Math.abs(difference - quarters * QUARTER) <= SHIFT_TOLERANCE;
}

/**
 * Whether two times of day are those of their moments, in the same zone. Without "AM" or "PM" it may be a duration too, so it must be
 * that of UTC or of this machine.
 */
function areClocks(left: Stamp, right: Stamp, { recorded, other }: Moments): boolean {
  const [one, another] = [left.instants[0] ?? 0, right.instants[0] ?? 0];
  if ((isRound(one) && isRound(another)) || other === null) return false;
  const zones =
    left.clock === 12
      ? Array.from({ length: LAST_ZONE - FIRST_ZONE + 1 }, (_, index) => (FIRST_ZONE + index) * QUARTER)
      : [0, -new Date(other).getTimezoneOffset() * MINUTE];
  return zones.some(
    (shift) =>
      isNearClock(another, other + shift) && (recorded === null || isNearClock(one, recorded + shift)),
  );
}

function isNearClock(clock: number, moment: number): boolean {
  const apart = (((clock - moment) % DAY) + DAY) % DAY;
  return Math.min(apart, DAY - apart) <= NEAR_CLOCK;
}

function dated(groups: Groups): readonly number[] {
  const { year, monthNumber, month, day } = groups;
  const index =
    month === undefined ? Number(monthNumber) - 1 : months.indexOf(month.slice(0, 3).toLowerCase());
  return timeOf(groups, [Number(year), index, Number(day)]);
}

/** The day and the month, in whichever order. */
function datedEitherWay(groups: Groups): readonly number[] {
  const [first, then, year] = [Number(groups.first), Number(groups.then), Number(groups.year)];
  return [...timeOf(groups, [year, first - 1, then]), ...timeOf(groups, [year, then - 1, first])];
}

function timeOf(
  { hour, minute, second, fraction, half, zone: offset }: Groups,
  [year, month, day]: readonly [number, number, number],
): readonly number[] {
  const [given, minutes, seconds] = [Number(hour), Number(minute), Number(second ?? 0)];
  const hours = half === undefined ? given : (given % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  const isValid =
    month >= 0 && month < 12 && day >= 1 && day <= 31 && hours < 24 && minutes < 60 && seconds < 61;
  if (!isValid || (half !== undefined && (given < 1 || given > 12))) return [];
  const milliseconds = Number(`0.${fraction ?? 0}`) * SECOND;
  return [Date.UTC(year, month, day, hours, minutes, seconds) + milliseconds - offsetOf(offset)];
}

/** Milliseconds of a zone east of UTC. */
function offsetOf(written: string | undefined): number {
  const digits = written?.replace(/^GMT/, '').replace(':', '') ?? '';
  if (!/^[+-]\d{4}$/.test(digits)) return 0;
  const size = Number(digits.slice(1, 3)) * HOUR + Number(digits.slice(3)) * MINUTE;
  return digits.startsWith('-') ? -size : size;
}

function epochOf(text: string): readonly number[] {
  const value = Number(text);
  for (const unit of [1, 1e3, 1e6, 1e9]) {
    const seconds = value / unit;
    if (seconds >= FIRST_RECORDING / SECOND && seconds < LAST_EPOCH) return [seconds * SECOND];
  }
  return [];
}

/** How many units of a number make a second. */
const unitOf = (instant: number, value: number): number => Math.round((value * SECOND) / instant);

/** The year 2100, in seconds. */
const LAST_EPOCH = 4.2e9;
