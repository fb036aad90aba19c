import type { Channel, HeaderLines, TraceRecord } from '#shared/trace/record.ts';
import { headerRules, urlParts } from '#trace/recorder/credentials.ts';
import { Redactor } from '#trace/recorder/redaction.ts';
import { findInText, type Finders } from './finder.ts';
import { KnownValues } from './known-values.ts';
import { isUserAndPassword, optionLabel, secretLabel, USER_OPTION } from './names.ts';
import { isOfPattern, type Patterns } from './patterns.ts';
import { type Removals, settled, type Span } from './spans.ts';
import { OpenKey } from './shapes.ts';
import { spansOfParts } from './text-rules.ts';

/** Creates placeholders as the recorder does: equal values get equal placeholders during a run. */
const placeholders = new Redactor(new Map());

/** An environment variable set on a command line, whose value is never recorded elsewhere. */
const SETS_VARIABLE = /^([A-Z_][A-Z0-9_]*)=(.+)$/s;

/**
 * Redacts an export. Scans everything once to learn the secrets, and then replaces them
 * everywhere.
 */
export class Redaction implements Finders {
  readonly isOn: boolean;
  readonly known: KnownValues;
  readonly patterns: Patterns;
  /** Lines of a private key that began in an earlier record. */
  readonly keyLines: KeyLines;
  /** Null while learning. */
  readonly #removals: Removals | null;

  private constructor(finders: Finders, keyLines: KeyLines, removals: Removals | null) {
    this.keyLines = keyLines;
    this.isOn = finders.isOn;
    this.known = finders.known;
    this.patterns = finders.patterns;
    this.#removals = removals;
  }

  /** Learns the secrets of a trace; ignore the texts it returns. */
  static toLearn(isOn: boolean, patterns: Patterns): Redaction {
    return new Redaction({ isOn, patterns, known: new KnownValues() }, new KeyLines(), null);
  }

  /** Replaces what another one learned. */
  toReplace(removals: Removals): Redaction {
    return new Redaction(this, this.keyLines, removals);
  }

  /** Whether there is anything to search for. */
  get isNeeded(): boolean {
    return this.isOn || this.patterns.count > 0;
  }

  /** A text for people or from the server. */
  text(text: string, row: number): string {
    return this.apply(text, findInText(this, text, row), row);
  }

  /** A URL or relative reference. */
  url(url: string, row: number): string {
    const own = this.isOn ? spansOfParts(urlParts(url)) : [];
    return this.apply(url, [...own, ...findInText(this, url, row)], row);
  }

  /** Header lines of ours. */
  headers(lines: HeaderLines, row: number): [string, string][] {
    return lines.map(([name, value]) => [
      this.text(name, row),
      this.apply(value, this.#inHeader(name, value, row), row),
    ]);
  }

  /**
   * Header lines of a server. Learns nothing from them: the server could have any text replaced everywhere, such as the
   * description of a tool.
   */
  serverHeaders(lines: HeaderLines, row: number): [string, string][] {
    return lines.map(([name, value]) => [
      this.apply(name, this.#untaught(findInText(this, name, row)), row),
      this.apply(value, this.#untaught(this.#inHeader(name, value, row)), row),
    ]);
  }

  /** The arguments of a command line. The value of an option may be the next argument. */
  args(args: readonly string[], row: number): string[] {
    return args.map((arg, index) => {
      const own = this.isOn ? argSpans(arg, args[index - 1]) : [];
      return this.apply(arg, [...own, ...findInText(this, arg, row)], row);
    });
  }

  /** The text with every secret replaced. While learning, notes the secrets instead. */
  apply(text: string, spans: readonly Span[], row: number): string {
    if (spans.length === 0) return text;
    const own = settled(text, spans);
    if (this.#removals !== null) {
      return this.#removals.replace(
        text,
        own,
        ({ kind, value }) => placeholders.placeholder(kind, value),
        row,
      );
    }
    for (const { kind, learned } of own) {
      if (learned.some((value) => this.known.isOfServer(value))) continue;
      for (const value of learned) this.known.learn(kind, value);
    }
    return text;
  }

  #inHeader(name: string, value: string, row: number): Span[] {
    const own = this.isOn ? headerSpans(name, value) : [];
    return [...own, ...findInText(this, value, row)];
  }

  /** Values that match a pattern of the user are learned anyway. */
  #untaught(spans: readonly Span[]): Span[] {
    return spans.map((span) => {
      if (isOfPattern(span)) return span;
      if (this.#removals === null) for (const value of span.learned) this.known.noteOfServer(value);
      return { ...span, learned: [] };
    });
  }
}

/** Limit of characters of a line of a key, including the prefix of a logger. */
const MAX_KEY_LINE = 4096;

/**
 * Lines of standard error, or noise on a message channel, that continue a private key.
 * By record, so that they are known whichever rows are exported.
 */
class KeyLines {
  readonly #open = new Map<Channel | 'stderr', OpenKey>();
  readonly #found = new Map<number, readonly Span[]>();

  /** Takes the next record of the trace, in order. */
  add(record: TraceRecord): void {
    if (record.kind !== 'stderr' && record.kind !== 'unit') return;
    const { text, more, seq } = record;
    // A message between the lines of a key does not belong to it.
    if (text === undefined || more || text.length > MAX_KEY_LINE || /^\s*[[{]/.test(text)) return;
    const source = record.kind === 'unit' ? record.channel : record.kind;
    const open = this.#open.get(source) ?? new OpenKey();
    this.#open.set(source, open);
    const spans = open.take(text);
    if (spans.length > 0) this.#found.set(seq, spans);
  }

  of(seq: number): readonly Span[] {
    return this.#found.get(seq) ?? [];
  }
}

function headerSpans(name: string, value: string): Span[] {
  const rule = headerRules.get(name.toLowerCase());
  if (rule !== undefined) return spansOfParts(rule(value));
  const label = secretLabel(name);
  if (label === null || value === '') return [];
  return [{ start: 0, end: value.length, kind: `header ${label}`, value, learned: [value] }];
}

function argSpans(arg: string, before: string | undefined): Span[] {
  const [, name = '', value = ''] = SETS_VARIABLE.exec(arg) ?? [];
  const flag = /^--?([\w.-]+)=(.+)$/s.exec(arg);
  if (value !== '') return [argSpan(arg, value, `variable ${secretLabel(name) ?? 'on a command line'}`)];
  if (flag !== null) {
    const label = secretLabel(flag[1] ?? '');
    return label === null ? [] : [argSpan(arg, flag[2] ?? '', `option ${label}`)];
  }
  const label = optionLabel(before ?? '');
  if (label === null || arg === '' || arg.startsWith('--')) return [];
  if (label === USER_OPTION && !isUserAndPassword(arg)) return [];
  return [argSpan(arg, arg, `option ${label}`)];
}

const argSpan = (arg: string, value: string, kind: string): Span => ({
  start: arg.length - value.length,
  end: arg.length,
  kind,
  value,
  learned: [value],
});
