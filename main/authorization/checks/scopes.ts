import { type FindingDetails, type Findings, shown } from './findings.ts';
import { type JsonObject, readTexts } from './json-response.ts';

/** The names of scopes in what a server wrote, whatever its form. */
interface ReadScopes {
  readonly names: readonly string[];
  /** How they are written: as RFC 6749 section 3.3 has it, or in another form that could be read. */
  readonly form: 'right' | 'list' | 'list-as-text' | 'commas' | 'spaces' | 'unreadable';
}

/** RFC 6749 section 3.3. */
const right = /^(?:[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*)?$/;

/**
 * The names in a scope of a server. Some separate them by commas, or send a list.
 *
 * @param known names that may have a comma, because they were asked for or are advertised
 */
export function readScopes(value: unknown, known: Iterable<string> = []): ReadScopes {
  if (Array.isArray(value)) return { names: namesInList(value, known), form: 'list' };
  if (typeof value !== 'string') return { names: [], form: 'unreadable' };
  const list = /^\s*\[(.*)\]\s*$/s.exec(value)?.[1];
  if (list !== undefined) return { names: wordsOf(list.replaceAll(/["',]/g, ' ')), form: 'list-as-text' };
  const whole = new Set(known);
  const words = wordsOf(value);
  const names = words.flatMap((word) =>
    whole.has(word) ? [word] : word.split(',').filter((one) => one !== ''),
  );
  if (words.some((word) => word.includes(',') && !whole.has(word))) return { names, form: 'commas' };
  return { names, form: right.test(value) ? 'right' : 'spaces' };
}

/** A list of one text may have all names in it; one of several has names, in which a comma may be right. */
function namesInList(list: readonly unknown[], known: Iterable<string>): readonly string[] {
  const texts = list.filter((one) => typeof one === 'string');
  return texts.length === 1 ? readScopes(texts[0], known).names : texts.flatMap(wordsOf);
}

/** The names of scopes, each once, in their order. */
export const scopeNames = (value: unknown, known: Iterable<string> = []): string[] => [
  ...new Set(readScopes(value, known).names),
];

/** A scope as RFC 6749 section 3.3 has it; null without one that can be read. */
export function scopeText(value: unknown, known: Iterable<string> = []): string | null {
  const { names, form } = readScopes(value, known);
  return form === 'unreadable' ? null : names.join(' ');
}

/** The names in `scopes_supported` of metadata, also if it is a text; null without any list. */
export const supportedScopes = (metadata: JsonObject | null | undefined): readonly string[] | null => {
  const value = metadata?.['scopes_supported'];
  return Array.isArray(value) || typeof value === 'string' ? scopeNames(value) : null;
};

/** Checks `scopes_supported`: a list with one name in each text (RFC 8414 section 2, RFC 9728 section 2). */
export function checkSupportedScopes(
  json: JsonObject,
  { found, source }: { readonly found: Findings; readonly source: string },
): void {
  const value = json['scopes_supported'];
  const texts = readTexts(json, 'scopes_supported', { found, source }) ?? [value];
  const [only] = texts;
  const what = 'scopes_supported of the metadata';
  if (texts.length === 1 && typeof only === 'string' && readScopes(only).form === 'commas')
    return checkScopeForm(only, { what, source }, found);
  const joined = texts.filter((one) => typeof one === 'string' && wordsOf(one).length > 1);
  if (Array.isArray(value) && joined.length > 0)
    found.add('scope-malformed', {
      text: `The scopes_supported of the metadata have several names in one text: ${joined.join(', ')}.`,
      source,
      received: joined.join(', '),
    });
}

interface ScopePlace extends Pick<FindingDetails, 'source'> {
  /** What has it, such as `scope of the token response`. */
  readonly what: string;
  /** Names that may have a comma. */
  readonly known?: Iterable<string>;
}

/** Checks how a scope is written, if there is one. */
export function checkScopeForm(
  value: unknown,
  { what, known = [], ...details }: ScopePlace,
  found: Findings,
): void {
  if (value === undefined) return;
  const received = shown(value);
  const { names, form } = readScopes(value, known);
  const expected = names.length === 0 ? 'a text' : names.join(' ');
  switch (form) {
    case 'right':
      return;
    case 'commas':
      return found.add('scope-separated-by-commas', {
        ...details,
        text: `The ${what} is separated by commas, not by spaces. It was read as ${names.join(' ')}.`,
        expected,
        received,
      });
    case 'spaces':
      return found.add('scope-malformed', { ...details, received });
    case 'list':
    case 'list-as-text':
      return found.add('scope-invalid', {
        ...details,
        text: `The ${what} is a list, not a text. It was read as ${names.join(' ')}.`,
        expected,
        received,
      });
    case 'unreadable':
      return found.add('scope-invalid', {
        ...details,
        text: `The ${what} is not a text.`,
        expected,
        received,
      });
  }
}

/** The names of a scope of ours, which are separated by spaces; none without one. */
export const wordsOf = (text: string | null | undefined): string[] =>
  (text ?? '').split(/\s+/).filter((one) => one !== '');
