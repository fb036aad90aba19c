import { findingSeverities, rowKinds, rowStatuses } from '../row.ts';
import type { Field } from './fields.ts';
import {
  type FindingValue,
  rowProperties,
  type MarkValue,
  type Pattern,
  type Range,
  type StatusValue,
  type Term,
} from './filter.ts';
import { readInstant } from './instants.ts';
import type { TextRange, RawValue } from './lex.ts';
import { similarWord } from '#shared/similar-word.ts';
import {
  countUnits,
  durationUnits,
  inUnits,
  levelScale,
  readRange,
  type Scale,
  sizeUnits,
} from './numbers.ts';
import { patternOf } from './pattern.ts';

/** An error in the text of a filter, with its range. */
export interface ParseError extends TextRange {
  readonly message: string;
}

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ParseError };

/** Parses one value; null if it is not valid for its field. */
type Reader<T> = (value: RawValue) => T | null;

/** Makes a term of a field and its values. */
export function readTerm(field: Field, values: readonly RawValue[]): Read<Term> {
  const { name } = field;
  switch (name) {
    case 'method':
    case 'tool':
    case 'name':
    case 'logger':
    case 'session':
    case 'id':
      return read(field, values, readPattern, (of) => ({ field: name, values: of }));
    case 'text':
      return read(field, values, plainText, (of) => ({ field: name, values: of }));
    case 'dir':
      return read(field, values, oneOf(['in', 'out'] as const), (of) => ({ field: name, values: of }));
    case 'kind':
      return read(field, values, oneOf(rowKinds), (of) => ({ field: name, values: of }));
    case 'is':
      return read(field, values, oneOf(rowProperties), (of) => ({ field: name, values: of }));
    case 'status':
      return read(field, values, readStatus, (of) => ({ field: name, values: of }));
    case 'dur':
      return read(field, values, rangeIn(inUnits(durationUnits)), (of) => ({ field: name, values: of }));
    case 'size':
      return read(field, values, rangeIn(inUnits(sizeUnits)), (of) => ({ field: name, values: of }));
    case 'level':
      return read(field, values, rangeIn(levelScale), (of) => ({ field: name, values: of }));
    case 'row':
    case 'exchange':
      return read(field, values, rangeIn(inUnits(countUnits)), (of) => ({ field: name, values: of }));
    case 'finding':
      return read(field, values, readFinding, (of) => ({ field: name, values: of }));
    case 'mark':
      return read(field, values, readMark, (of) => ({ field: name, values: of }));
    case 'since':
    case 'until':
      return readTime(field, name, values);
  }
}

function read<T>(
  field: Field,
  values: readonly RawValue[],
  reader: Reader<T>,
  make: (values: readonly T[]) => Term,
): Read<Term> {
  const made: T[] = [];
  for (const value of values) {
    if (value.parts.length === 0 || isEmptyText(field, value)) return missing(field, value);
    const one = reader(value);
    if (one === null) return unknown(field, value);
    made.push(one);
  }
  return { ok: true, value: make(made) };
}

function readTime(field: Field, name: 'since' | 'until', values: readonly RawValue[]): Read<Term> {
  const [value, second] = values;
  if (second !== undefined) return failed(second, `${name}: takes one time, not a list.`);
  if (value === undefined || value.parts.length === 0) return missing(field, value ?? { from: 0, to: 0 });
  const instant = readInstant(plainText(value));
  return instant === null ? unknown(field, value) : { ok: true, value: { field: name, instant } };
}

/** Every text contains the empty one. */
const isEmptyText = (field: Field, value: RawValue): boolean =>
  (field.form === 'text' || field.form === 'mark') && plainText(value) === '';

const failed = ({ from, to }: TextRange, message: string): Read<never> => ({
  ok: false,
  error: { from, to, message },
});

const missing = (field: Field, at: TextRange): Read<never> =>
  failed(at, `${field.name}: wants a value: ${field.values}.`);

/** Lists the values of the field, and the one that was probably meant. */
function unknown(field: Field, value: RawValue): Read<never> {
  const written = plainText(value);
  if (field.form !== 'choice' && field.form !== 'status' && field.form !== 'level') {
    return failed(value, `${field.name}: cannot read “${written}”. It wants ${field.values}.`);
  }
  const words = field.choices.map((choice) => choice.value);
  const meant = similarWord(written, words);
  const known = field.form === 'status' ? `${words.join(', ')} or another code` : words.join(', ');
  const guess = meant === null ? '' : ` Did you mean ${meant}?`;
  return failed(value, `${field.name}: does not know “${written}”.${guess} It knows ${known}.`);
}

/** A value as plain text, quotes or not. */
export const plainText = ({ parts }: RawValue): string => parts.map(({ text }) => text).join('');

const isQuoted = ({ parts }: RawValue): boolean => parts.some((part) => part.isQuoted);

/** A star outside of quotes matches anything. */
function readPattern({ parts }: RawValue): Pattern {
  const made = [''];
  for (const { text, isQuoted: isLiteral } of parts) {
    const [first = '', ...others] = isLiteral ? [text] : text.split('*');
    made.push((made.pop() ?? '') + first, ...others);
  }
  return patternOf(made);
}

const oneOf =
  <T extends string>(known: readonly T[]): Reader<T> =>
  (value) =>
    known.find((one) => one === plainText(value).toLowerCase()) ?? null;

const knownStatus = oneOf(rowStatuses);
const CODE = /^-?\d{1,15}$/;
const HUNDRED = /^([1-5])xx$/i;

function readStatus(value: RawValue): StatusValue | null {
  const status = knownStatus(value);
  if (status !== null) return { status };
  const written = plainText(value);
  if (CODE.test(written)) return { code: Number(written) + 0 };
  const [, hundred] = HUNDRED.exec(written) ?? [];
  return hundred === undefined ? null : { hundred: Number(hundred) };
}

const rangeIn =
  (scale: Scale): Reader<Range> =>
  (value) =>
    readRange(plainText(value), scale);

const knownSeverity = oneOf(findingSeverities);

function readFinding(value: RawValue): FindingValue {
  if (!isQuoted(value)) {
    if (plainText(value).toLowerCase() === 'any') return { any: true };
    const severity = knownSeverity(value);
    if (severity !== null) return { severity };
  }
  return { rule: readPattern(value) };
}

const readMark = (value: RawValue): MarkValue =>
  !isQuoted(value) && plainText(value).toLowerCase() === 'any' ? { any: true } : { text: plainText(value) };
