import { fieldOf } from './fields.ts';
import { type TextRange, type Token, tokensOf } from './lex.ts';

export type SpanKind = 'field' | 'value' | 'operator' | 'text';

/** A part of a filter's text with one color. */
export interface Span extends TextRange {
  readonly kind: SpanKind;
}

/** The parts of a filter in order, without spaces. Works for invalid filters too. */
export const filterSpans = (text: string): Span[] => tokensOf(text).flatMap(spansOf);

function spansOf(token: Token): Span[] {
  const { type, from, to } = token;
  if (type !== 'word') return [{ kind: 'operator', from, to }];
  const { field } = token;
  if (field === null) return [{ kind: 'text', from, to }];
  // With its colon.
  const named: Span = { kind: fieldOf(field.name) ? 'field' : 'text', from: field.from, to: field.to + 1 };
  const values = token.values.filter((value) => value.to > value.from);
  return [named, ...values.map((value): Span => ({ kind: 'value', from: value.from, to: value.to }))];
}
