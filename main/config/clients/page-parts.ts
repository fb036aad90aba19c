/** Finds configurations within other text: the code blocks of a Markdown page, and JSON between sentences. */

/** A part of a text that begins with a line. */
export interface Part {
  readonly text: string;
  /** Lines before it. */
  readonly linesBefore: number;
}

/** Code blocks that are read; a README has a few. */
const MAX_BLOCKS = 60;

/** The code blocks of a Markdown page, without their fences (CommonMark 0.31 section 4.5); the last may be cut off. */
export function fencedBlocks(text: string): Part[] {
  const blocks: Part[] = [];
  let open: { readonly fence: string; readonly from: number; readonly linesBefore: number } | null = null;
  for (const { start, end, line, number } of linesOf(text)) {
    // In a list or a quotation, a marker precedes the fence.
    const content = line.replace(/^[\s>]*(?:[-*+]\s|\d{1,9}[.)]\s)?/, '').trimStart();
    const fence = /^(?:`{3,}|~{3,})/.exec(content)?.[0] ?? '';
    const info = content.slice(fence.length);
    if (fence === '') continue;
    if (open === null) open = { fence, from: end, linesBefore: number };
    else if (fence.startsWith(open.fence) && info.trim() === '') {
      blocks.push({ text: text.slice(open.from, start), linesBefore: open.linesBefore });
      open = null;
      if (blocks.length === MAX_BLOCKS) return blocks;
    }
  }
  if (open !== null) blocks.push({ text: text.slice(open.from), linesBefore: open.linesBefore });
  return blocks;
}

/** Lines from which JSON may begin that are tried. */
const MAX_TRIES = 8;

/** Where JSON may stand between sentences: from a line that begins it to the last bracket. */
export function jsonBetween(text: string): Part[] {
  const parts: Part[] = [];
  const to = text.lastIndexOf('}') + 1;
  for (const { start, line, number } of linesOf(text)) {
    if (start >= to || parts.length === MAX_TRIES) break;
    if (/^\s*(?:\{|["\u201c][^"\u201c\u201d]*["\u201d]\s*:\s*\{)/.test(line)) {
      parts.push({ text: text.slice(start, to), linesBefore: number - 1 });
    }
  }
  return parts;
}

function* linesOf(text: string): Generator<{ start: number; end: number; line: string; number: number }> {
  let start = 0;
  let number = 0;
  while (start < text.length) {
    const at = text.indexOf('\n', start);
    const end = at === -1 ? text.length : at + 1;
    yield { start, end, line: text.slice(start, end).replace(/\r?\n$/, ''), number: ++number };
    start = end;
  }
}
