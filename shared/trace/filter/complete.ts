import { type Choice, type Field, fieldOf, fields } from './fields.ts';
import { type TextRange, type RawValue, tokensOf, type WordToken } from './lex.ts';
import { printValue } from './print.ts';
import { plainText } from './values.ts';

/** The values in a trace for completion, the most frequent first. */
export interface FilterVocabulary {
  readonly methods: readonly string[];
  readonly tools: readonly string[];
  readonly names: readonly string[];
  readonly loggers: readonly string[];
  readonly rules: readonly string[];
}

export interface CompletionOption {
  /** The replacement. */
  readonly insert: string;
  readonly label: string;
  readonly hint: string;
}

/** Suggested replacements for a range of the text. */
export interface Completion extends TextRange {
  readonly options: readonly CompletionOption[];
}

const MAX_OPTIONS = 50;
/** Max values to suggest before a field is named. */
const MAX_VALUES = 8;
/** Shorter words match too many values. */
const MIN_VALUE = 2;

/** Completions at the caret, the likeliest first. */
export function completeFilter(text: string, caret: number, vocabulary: FilterVocabulary): Completion {
  const word = wordAt(text, caret);
  if (word === undefined) return { from: caret, to: caret, options: fields.map(fieldOption) };
  const { field } = word;
  if (field === null || caret <= field.to) return completeWord(text, caret, word, vocabulary);
  const known = fieldOf(field.name);
  const value = word.values.find(({ from, to }) => from <= caret && caret <= to);
  if (known === undefined || value === undefined) return { from: caret, to: caret, options: [] };
  return completeValue(text, caret, known, value, vocabulary);
}

/** The word that the caret is in, or at the end of. */
function wordAt(text: string, caret: number): WordToken | undefined {
  const words = tokensOf(text).flatMap((token) => {
    if (token.type === 'word') return [token];
    // The text up to the caret may be an operator.
    const { from, to } = token;
    const raw: RawValue = { from, to, parts: [{ text: text.slice(from, to), isQuoted: false }] };
    return /^[a-z]/i.test(raw.parts[0]?.text ?? '')
      ? [{ type: 'word' as const, from, to, field: null, values: [raw], openQuote: null }]
      : [];
  });
  return words.find(({ from, to }) => from < caret && caret <= to);
}

function completeWord(
  text: string,
  caret: number,
  word: WordToken,
  vocabulary: FilterVocabulary,
): Completion {
  const written = text.slice(word.from, caret).toLowerCase();
  // If the field already has values, only its name is replaced.
  const to = word.field === null ? word.to : word.field.to + 1;
  const begun = fields.filter(({ name, aliases }) =>
    [name, ...aliases].some((one) => one.startsWith(written)),
  );
  const values =
    word.field === null && written.length >= MIN_VALUE ? valuesOfAnyField(written, vocabulary) : [];
  const options = [...begun.map(fieldOption), ...values];
  return { from: word.from, to, options: options.slice(0, MAX_OPTIONS) };
}

/** The fields that a word could be a value of. A tool is also a name, and is suggested once. */
function valuesOfAnyField(written: string, vocabulary: FilterVocabulary): CompletionOption[] {
  const options: CompletionOption[] = [];
  const offered = new Set<string>();
  for (const field of fields) {
    if (field.vocabulary === undefined) continue;
    const values = matching(vocabulary[field.vocabulary].map(choiceOf(field)), written);
    const others = values.filter(({ value }) => !offered.has(value)).slice(0, MAX_VALUES);
    for (const { value, hint } of others) {
      offered.add(value);
      options.push(valueOption(field, value, hint));
    }
  }
  return options;
}

function completeValue(
  text: string,
  caret: number,
  field: Field,
  value: RawValue,
  vocabulary: FilterVocabulary,
): Completion {
  const { from, to } = value;
  const written = text.slice(from, caret).replaceAll('"', '').toLowerCase();
  const known = field.vocabulary === undefined ? [] : vocabulary[field.vocabulary].map(choiceOf(field));
  const all = [...field.choices, ...known];
  const offered = matching(all, written).filter((choice) => choice.value !== plainText(value));
  const options = offered.slice(0, MAX_OPTIONS).map(({ value: one, hint }) => ({
    insert: printValue(field.name, one).slice(field.name.length + 1),
    label: one,
    hint,
  }));
  return { from, to, options };
}

/** Choices that begin with the typed text, then those that contain it. */
function matching(choices: readonly Choice[], written: string): Choice[] {
  const lower = choices.map((choice) => ({ choice, text: choice.value.toLowerCase() }));
  const begun = lower.filter(({ text }) => text.startsWith(written));
  const inside = lower.filter(({ text }) => !text.startsWith(written) && text.includes(written));
  return [...begun, ...inside].map(({ choice }) => choice);
}

const choiceOf =
  (field: Field) =>
  (value: string): Choice => ({ value, hint: field.hint });

const fieldOption = ({ name, hint, values }: Field): CompletionOption => ({
  insert: `${name}:`,
  label: `${name}:`,
  hint: `${hint} (${values})`,
});

const valueOption = (field: Field, value: string, hint: string): CompletionOption => ({
  insert: printValue(field.name, value),
  label: `${field.name}:${value}`,
  hint,
});
