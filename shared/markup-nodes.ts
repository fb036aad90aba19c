/** A piece of HTML or XML. `words`: text, in the element named; `values`: the attributes of a tag. */
export interface MarkupNode {
  readonly kind: 'tag' | 'words' | 'values' | 'script' | 'comment';
  readonly text: string;
  /** The innermost element in small letters, without its prefix; empty outside of all. */
  readonly element: string;
}

export const isMarkup = (text: string): boolean => /^\s*<[!?a-z]/i.test(text);

/** Cuts markup into pieces in order, all of its text. Never fails, and takes time in proportion to the text. */
export function markupNodes(text: string): MarkupNode[] {
  const nodes: MarkupNode[] = [];
  const open: string[] = [];
  const add = (kind: MarkupNode['kind'], from: number, to: number) => {
    if (to > from) nodes.push({ kind, text: text.slice(from, to), element: open.at(-1) ?? '' });
  };
  for (let at = 0; at < text.length; ) {
    const start = indexOr(text, '<', at, text.length);
    add('words', at, start);
    if (start === text.length) break;
    const special = specials.find(({ opening }) => text.startsWith(opening, start));
    if (special !== undefined) {
      const end = endAfter(text, special.closing, start);
      add('comment', start, end);
      at = end;
      continue;
    }
    const end = endAfter(text, '>', start);
    const [head = '<', slash = '', name = ''] =
      /^<(\/?)(?:[\w-]{1,40}:)?([\w.-]{0,64})/.exec(text.slice(start, start + 120)) ?? [];
    add('tag', start, start + head.length);
    const isClosed = text.charAt(end - 1) === '>';
    const valuesEnd = isClosed ? end - (text.charAt(end - 2) === '/' ? 2 : 1) : end;
    add('values', start + head.length, Math.max(valuesEnd, start + head.length));
    add('tag', Math.max(valuesEnd, start + head.length), end);
    const element = name.toLowerCase();
    at = end;
    if (slash !== '') open.pop();
    else if (text.charAt(end - 2) !== '/' && !EMPTY.has(element)) open.push(element);
    if (slash === '' && RAW.has(element)) {
      const close = indexOr(text, `</${name}`, at, text.length);
      add('script', at, close);
      at = close;
    }
  }
  return nodes;
}

const specials = [
  { opening: '<!--', closing: '-->' },
  { opening: '<![CDATA[', closing: ']]>' },
  { opening: '<!', closing: '>' },
  { opening: '<?', closing: '>' },
] as const;

/** Elements without an end tag, and those whose content is no text. */
const EMPTY: ReadonlySet<string> = new Set('area base br col hr img input link meta'.split(' '));
const RAW: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'template', 'svg']);

const indexOr = (text: string, wanted: string, from: number, otherwise: number): number => {
  const found = text.indexOf(wanted, from);
  return found === -1 ? otherwise : found;
};

const endAfter = (text: string, closing: string, from: number): number =>
  Math.min(text.length, indexOr(text, closing, from, text.length) + closing.length);
