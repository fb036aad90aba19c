import type { Span } from './spans.ts';

/** What keys and tokens of well-known issuers look like. */
const shapes: Readonly<Record<string, string>> = {
  'key of Stripe': String.raw`(?:[rsp]k_(?:live|test)|whsec)_[0-9A-Za-z]{10,}`,
  'key sk': String.raw`sk-[\w-]{16,}`,
  'token of GitHub': String.raw`gh[pousr]_[0-9A-Za-z]{16,}|github_pat_\w{20,}`,
  'token of GitLab': String.raw`gl[a-z]{2,6}-[\w-]{16,}`,
  'key of AWS': String.raw`(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}`,
  'token of Slack': String.raw`xox[a-z]-[\w-]{8,}|xapp-[\w-]{16,}`,
  'key of Google': String.raw`AIza[\w-]{30,}|ya29\.[\w.-]{16,}|GOCSPX-[\w-]{16,}`,
  'token of npm': String.raw`npm_[0-9A-Za-z]{30,}`,
  'token of Hugging Face': String.raw`hf_[0-9A-Za-z]{24,}`,
  'key of SendGrid': String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
  'token of Shopify': String.raw`shp(?:at|ca|pa|ss)_[0-9a-fA-F]{24,}`,
  'token of DigitalOcean': String.raw`do[opr]_v1_[0-9a-f]{32,}`,
  'token of PyPI': String.raw`pypi-[\w-]{30,}`,
};

const kinds = Object.keys(shapes);
/** A letter before it makes it the end of another word, unless that letter ends an escape. */
const SHAPE = new RegExp(
  String.raw`(?:(?<![0-9A-Za-z])|(?<=\\[nrt]))(?:${Object.values(shapes)
    .map((shape) => `(${shape})`)
    .join('|')})`,
  'g',
);
/** Every key, token and JWT contains one of these; checking for them first saves most of the time. */
const HINT =
  /eyJ|[sp]k[-_]|whsec_|gh[pousr]_|_pat_|gl[a-z]{2,6}-|A[KSBC][IC]A|xox|xapp-|AIza|ya29|GOCSPX|npm_|hf_|SG\.|shp|_v1_|pypi-/;

const BEGIN = '-----BEGIN ';
const KEY_HEAD = /^[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const END = '-----END ';

/** Finds keys and tokens by their shape. */
export function shapeSpans(text: string): Span[] {
  const spans = text.includes(BEGIN) ? privateKeys(text) : [];
  if (!HINT.test(text)) return spans;
  spans.push(...webTokens(text));
  for (const match of text.matchAll(SHAPE)) {
    const [value] = match;
    const kind = kinds[match.findIndex((group, index) => index > 0 && group !== undefined) - 1] ?? 'key';
    spans.push({ start: match.index, end: match.index + value.length, kind, value, learned: [value] });
  }
  return spans;
}

const JWT_BEGIN = 'eyJ';
const ENDS_PART = /[^\w-]/g;

/** Finds JSON Web Tokens (RFC 7519) with two to five parts. Searches for the end of each part only once. */
function webTokens(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (let start = text.indexOf(JWT_BEGIN); start !== -1; ) {
    if (end <= start) end = endOfPart(text, start);
    const isBegin = start === 0 || !WORD_BEFORE.test(text.slice(Math.max(0, start - 2), start));
    const second = end + 1;
    const secondEnd = isBegin && end - start >= 9 && text.charAt(end) === '.' ? endOfPart(text, second) : -1;
    if (secondEnd - second < 4) {
      start = text.indexOf(JWT_BEGIN, start + 1);
      continue;
    }
    let last = secondEnd;
    for (let part = 0; part < 3 && text.charAt(last) === '.'; part++) last = endOfPart(text, last + 1);
    const value = text.slice(start, last);
    spans.push({ start, end: last, kind: 'JWT', value, learned: [value] });
    end = last;
    start = text.indexOf(JWT_BEGIN, last);
  }
  return spans;
}

/** A letter or digit here belongs to another word, unless it ends an escape. */
const WORD_BEFORE = /(?:^|[^\\])[0-9A-Za-z]$|\\[^nrt\W_]$/;

function endOfPart(text: string, from: number): number {
  ENDS_PART.lastIndex = from;
  return ENDS_PART.exec(text)?.index ?? text.length;
}

/** Max lines of a key; the largest keys have about 200. */
const MAX_LINES = 400;
/** A line of base64 after any prefix of a logger, or a header line of an encrypted key (RFC 1421). */
const KEY_LINE = /(?:^|[\s>|:"'\]])([A-Za-z0-9+/]{2,100}={0,2})(?:\\[nr])*\s*$/;
const KEY_HEADER = /(?:Proc-Type|DEK-Info|Comment|Version): ?\S.{0,100}$/;
/** Limit of other lines between the lines of a key. */
const MAX_BETWEEN = 20;

/** A private key in PEM whose lines arrive one by one, such as lines of standard error. */
export class OpenKey {
  #lines = 0;
  #between = 0;

  /** The part of the next line that continues a key. The first line is found as text. */
  take(line: string, from = 0): Span[] {
    const begin = line.lastIndexOf(BEGIN);
    if (begin !== -1) {
      const isOpen = !line.includes(END, begin) && KEY_HEAD.test(line.slice(begin + BEGIN.length));
      this.#lines = isOpen ? MAX_LINES : 0;
      this.#between = 0;
      return [];
    }
    if (this.#lines === 0) return [];
    this.#lines--;
    if (line.includes(END)) {
      this.#lines = 0;
      return [];
    }
    const found = KEY_LINE.exec(line)?.[1] ?? KEY_HEADER.exec(line)?.[0];
    if (found === undefined) {
      if (++this.#between > MAX_BETWEEN) this.#lines = 0;
      return [];
    }
    this.#between = 0;
    const start = from + line.lastIndexOf(found);
    const end = start + found.length;
    return [{ start, end, kind: 'private key', value: found, learned: [found] }];
  }
}

/** Private keys in PEM (RFC 7468); a truncated one extends to the end of the text. */
function privateKeys(text: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(BEGIN); start !== -1; ) {
    const head = KEY_HEAD.exec(text.slice(start + BEGIN.length, start + BEGIN.length + 80));
    const isKey = head !== null;
    const foot = isKey ? text.indexOf(END, start) : -1;
    const dashes = foot === -1 ? -1 : text.indexOf('-----', foot + END.length);
    const end = !isKey ? start + BEGIN.length : dashes === -1 ? text.length : dashes + 5;
    if (isKey) {
      const value = text.slice(start, end);
      spans.push({ start, end, kind: 'private key', value, learned: [value] });
    }
    start = text.indexOf(BEGIN, end);
  }
  return spans;
}
