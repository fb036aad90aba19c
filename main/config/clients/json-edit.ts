import { withoutEnd } from '#shared/trim.ts';
import { type JsonMember, type JsonNode, readJsonc, skipTrivia } from './jsonc.ts';
import { nested, type Path, type TextEdit } from './text-edit.ts';

/**
 * Edits JSON with comments in place: everything that is not changed stays as it is written, comments and trailing commas
 * too. The text must be free of syntax errors, with an object at its root.
 */
export class JsonEdit implements TextEdit {
  #text: string;
  readonly #lineEnd: string;
  /** One step of indentation. */
  readonly #step: string;

  constructor(text: string) {
    this.#text = text;
    this.#lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
    this.#step = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  }

  /** The edited text. */
  get text(): string {
    return this.#text;
  }

  /** Sets a value; creates the objects that lead to it. An index must exist. */
  set(path: Path, value: unknown): void {
    const { node, rest } = this.#find(path);
    const [key, ...others] = rest;
    if (key === undefined || node.type !== 'object') {
      return this.#replace(
        node.offset,
        node.end,
        this.#written(nested(rest, value), this.#indentAt(node.offset)),
      );
    }
    this.#insert(node, node.members, nested(others, value), `${JSON.stringify(String(key))}: `);
  }

  /** Adds an element at the end of a list that exists. */
  append(path: Path, value: unknown): void {
    const { node, rest } = this.#find(path);
    if (node.type === 'array' && rest.length === 0) this.#insert(node, node.elements, value, '');
  }

  /** Removes a member or element, if it exists. */
  remove(path: Path): void {
    const { node: parent, rest } = this.#find(path.slice(0, -1));
    if (rest.length > 0) return;
    const key = path.at(-1);
    const items = itemsOf(parent);
    const index =
      parent.type === 'object' ? parent.members.findLastIndex((member) => member.key === key) : Number(key);
    const item = items[index];
    if (item === undefined) return;
    const comma = this.#commaAfter(item.end);
    const before = items[index - 1];
    const line = this.#lineOf(item.offset, comma === null ? item.end : comma + 1);
    if (comma !== null) this.#replace(comma, comma + 1 + line.spacesAfter, '');
    this.#replace(line.from, item.end, '');
    // Without a trailing comma, the comma before the last item goes too.
    if (comma === null && before !== undefined) {
      const last = this.#commaAfter(before.end);
      if (last !== null) this.#replace(last, last + 1, '');
    }
  }

  /** The deepest existing value on the way, and the keys that are missing. */
  #find(path: Path): { node: JsonNode; rest: Path } {
    const { root, error } = readJsonc(this.#text);
    if (root === null || error !== null) throw new Error(`not JSON: ${error?.what ?? 'empty'}`);
    let node = root;
    for (const [index, key] of path.entries()) {
      const next: JsonNode | undefined =
        node.type === 'object'
          ? node.members.findLast((member) => member.key === key)?.node
          : itemsOf(node).length > Number(key) && node.type === 'array'
            ? node.elements[Number(key)]
            : undefined;
      if (next === undefined) return { node, rest: path.slice(index) };
      node = next;
    }
    return { node, rest: [] };
  }

  #insert(parent: JsonNode, items: readonly Item[], value: unknown, label: string): void {
    const close = parent.end - 1;
    const first = items[0];
    const last = items.at(-1);
    const inside = this.#text.slice(parent.offset + 1, close);
    const isOnOneLine = first !== undefined && !/[\r\n]/.test(inside);
    if (isOnOneLine && last !== undefined) {
      const comma = this.#commaAfter(last.end);
      const text = label + JSON.stringify(value);
      return comma === null
        ? this.#replace(last.end, last.end, `, ${text}`)
        : this.#replace(comma + 1, comma + 1, ` ${text},`);
    }
    const outer = this.#indentAt(parent.offset);
    const indent =
      first !== undefined && this.#beginsLine(first.offset)
        ? this.#indentAt(first.offset)
        : outer + this.#step;
    const comma = last === undefined ? null : this.#commaAfter(last.end);
    // After the comments that follow the last item.
    const contentEnd = parent.offset + 1 + inside.trimEnd().length;
    const tail = comma === null ? '' : ',';
    const text = `${this.#lineEnd}${indent}${label}${this.#written(value, indent)}${tail}`;
    this.#replace(contentEnd, close, `${text}${this.#lineEnd}${outer}`);
    if (last !== undefined && comma === null) this.#replace(last.end, last.end, ',');
  }

  /** JSON of a value whose first line is indented already. */
  #written(value: unknown, indent: string): string {
    return JSON.stringify(value, null, this.#step).replaceAll('\n', `${this.#lineEnd}${indent}`);
  }

  #commaAfter(offset: number): number | null {
    const place = skipTrivia(this.#text, offset);
    return place !== null && this.#text.charAt(place) === ',' ? place : null;
  }

  #indentAt(offset: number): string {
    const start =
      Math.max(this.#text.lastIndexOf('\n', offset - 1), this.#text.lastIndexOf('\r', offset - 1)) + 1;
    return /^[ \t]*/.exec(this.#text.slice(start, offset))?.[0] ?? '';
  }

  #beginsLine(offset: number): boolean {
    return /(?:^|[\r\n])[ \t]*$/.test(this.#text.slice(0, offset));
  }

  /** What to remove with an item: its whole line if nothing else is there, else the spaces on one side of it. */
  #lineOf(from: number, to: number): { from: number; spacesAfter: number } {
    const before = this.#text.slice(0, from);
    const after = this.#text.slice(to);
    const isAlone = this.#beginsLine(from) && /^[ \t]*(?:[\r\n]|$)/.test(after);
    // Spaces after an opening bracket stay.
    if (!isAlone && /[[{][ \t]*$/.test(before)) {
      return { from, spacesAfter: /^[ \t]*/.exec(after)?.[0].length ?? 0 };
    }
    const line = withoutEnd(before, ' \t');
    const lineBreak = isAlone ? (/(?:\r\n|\n|\r)$/.exec(line.slice(-2))?.[0].length ?? 0) : 0;
    return { from: line.length - lineBreak, spacesAfter: 0 };
  }

  #replace(from: number, to: number, text: string): void {
    this.#text = this.#text.slice(0, from) + text + this.#text.slice(to);
  }
}

type Item = JsonNode | JsonMember;

const itemsOf = (node: JsonNode): readonly Item[] =>
  node.type === 'object' ? node.members : node.type === 'array' ? node.elements : [];
