/** The filter language of the screen, the command line and saved filters. */
export { completeFilter, type Completion, type CompletionOption, type FilterVocabulary } from './complete.ts';
export { type Field, fieldOf, fields, type FieldName } from './fields.ts';
export { everything, type Filter, isEverything } from './filter.ts';
export { type FilterFacts, matchesRow } from './match.ts';
export { parseFilter, type Parsed } from './parse.ts';
export { printFilter, printValue } from './print.ts';
export { filterSpans, type Span, type SpanKind } from './spans.ts';
export { usualFilters, type UsualFilter } from './usual-filters.ts';
