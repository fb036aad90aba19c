import { fieldOf } from './fields.ts';
import type { Filter, FindingValue, MarkValue, Pattern, StatusValue, Term } from './filter.ts';
import { printInstant } from './instants.ts';
import { isOperator } from './lex.ts';
import { countUnits, durationUnits, inUnits, levelScale, printRange, sizeUnits } from './numbers.ts';

/** A filter as text that `parseFilter` reads as the same filter. */
export const printFilter = (filter: Filter): string => print(filter, 'alone');

/** The context of a printed filter. */
type Around = 'alone' | 'and' | 'or' | 'not';

function print(filter: Filter, around: Around): string {
  switch (filter.type) {
    case 'term':
      return printTerm(filter.term);
    case 'not':
      return `-${print(filter.part, 'not')}`;
    case 'and': {
      const written = filter.parts.map((part) => print(part, 'and')).join(' ');
      return around === 'not' ? `(${written})` : written;
    }
    case 'or': {
      const written = filter.parts.map((part) => print(part, 'or')).join(' or ');
      return around === 'not' || around === 'and' ? `(${written})` : written;
    }
  }
}

function printTerm(term: Term): string {
  switch (term.field) {
    case 'word':
      return printWord(term.text);
    case 'since':
    case 'until':
      return `${term.field}:${printInstant(term.instant)}`;
    default:
      return `${term.field}:${valuesOf(term).join(',')}`;
  }
}

function valuesOf(term: Exclude<Term, { field: 'word' | 'since' | 'until' }>): readonly string[] {
  switch (term.field) {
    case 'method':
    case 'tool':
    case 'name':
    case 'logger':
    case 'session':
    case 'id':
      return term.values.map((pattern) => printPattern(pattern));
    case 'text':
      return term.values.map(printText);
    case 'dir':
    case 'kind':
    case 'is':
      return term.values;
    case 'status':
      return term.values.map(printStatus);
    case 'dur':
      return term.values.map((range) => printRange(range, inUnits(durationUnits)));
    case 'size':
      return term.values.map((range) => printRange(range, inUnits(sizeUnits)));
    case 'level':
      return term.values.map((range) => printRange(range, levelScale));
    case 'row':
    case 'exchange':
      return term.values.map((range) => printRange(range, inUnits(countUnits)));
    case 'finding':
      return term.values.map(printFinding);
    case 'mark':
      return term.values.map(printMark);
  }
}

const printStatus = (value: StatusValue): string => {
  if ('status' in value) return value.status;
  return 'code' in value ? String(value.code) : `${value.hundred}xx`;
};

function printFinding(value: FindingValue): string {
  if ('any' in value) return 'any';
  if ('severity' in value) return value.severity;
  const isReserved = value.rule.length === 1 && RESERVED.test(value.rule[0]);
  return isReserved ? quoted(value.rule[0]) : printPattern(value.rule);
}

/** Rules and notes that must be quoted to be read as such. */
const RESERVED = /^(any|error|warning|info)$/i;

const printMark = (value: MarkValue): string => {
  if ('any' in value) return 'any';
  return RESERVED.test(value.text) ? quoted(value.text) : printText(value.text);
};

/** Two slashes after a colon would make it a URL, not a field. */
const NEEDS_QUOTES = /[\s"(),*]|^\/\//;

const printPattern = (pattern: Pattern): string =>
  pattern.length === 1
    ? printText(pattern[0])
    : pattern.map((part) => (part === '' ? '' : printText(part))).join('*');

const printText = (text: string): string => (text === '' || NEEDS_QUOTES.test(text) ? quoted(text) : text);

/** Quotes a word that would be parsed as something else. */
function printWord(text: string): string {
  const isPlain = !/[\s"()]/.test(text) && !isOperator(text) && !/^[a-z]+:/i.test(text);
  return isPlain ? text : quoted(text);
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** `method:tools/call`, with quotes if needed; a text without a field as it is. */
export const printValue = (field: string | null, value: string): string =>
  field === null ? printWord(value) : `${fieldOf(field)?.name ?? field}:${printText(value)}`;
