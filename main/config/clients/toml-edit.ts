import { parse, TomlError } from 'smol-toml';
import { nested, notEditable, type Path, type TextEdit } from './text-edit.ts';
import { type PlacedToml, placeToml } from './toml-places.ts';

/** Edits TOML in place. The text must be valid. */
export class TomlEdit implements TextEdit {
  #text: string;
  readonly #lineEnd: string;

  constructor(text: string) {
    this.#text = text;
    this.#lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  }

  get text(): string {
    return this.#text;
  }

  /** @throws FaultError */
  set(path: Path, value: unknown): void {
    this.#change(path, () => {
      const { node, rest } = this.#find(path);
      const [key, ...more] = rest;
      if (key === undefined) {
        if (node.form !== 'value') throw notEditable(path);
        return this.#replace(node.offset, node.end, inline(value));
      }
      this.#add(node, path.slice(0, -rest.length), String(key), nested(more, value));
    });
  }

  /** @throws FaultError */
  append(path: Path, value: unknown): void {
    this.#change(path, () => {
      const { node, rest } = this.#find(path);
      if (rest.length > 0 || node.elements === undefined) throw notEditable(path);
      if (node.form === 'table') return this.#addSection(path.map(String), value, true);
      this.#insertItem(node, node.elements, inline(value));
    });
  }

  /** @throws FaultError */
  remove(path: Path): void {
    const { node: parent, rest } = this.#find(path.slice(0, -1));
    const key = path.at(-1);
    const items = itemsOf(parent);
    const node = typeof key === 'number' ? parent.elements?.[key] : parent.members?.get(String(key));
    if (rest.length > 0 || node === undefined) return;
    this.#change(path, () => {
      if (parent.form === 'value') return this.#removeItem(items, node);
      for (const { keyOffset, end } of linesOf(node).sort((one, other) => other.keyOffset - one.keyOffset))
        this.#replace(this.#lineStart(keyOffset), this.#nextLine(end), '');
    });
  }

  /** Makes a change, and takes it back if the text is no TOML any more. @throws FaultError */
  #change(path: Path, change: () => void): void {
    const before = this.#text;
    change();
    try {
      parse(this.#text, { integersAsBigInt: 'asNeeded' });
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      this.#text = before;
      throw notEditable(path);
    }
  }

  /** The deepest existing value on the way, and the keys that are missing. */
  #find(path: Path): { node: PlacedToml; rest: Path } {
    let node = placeToml(this.#text);
    for (const [index, key] of path.entries()) {
      const next = typeof key === 'number' ? node.elements?.[key] : node.members?.get(key);
      if (next === undefined) return { node, rest: path.slice(index) };
      node = next;
    }
    return { node, rest: [] };
  }

  #add(owner: PlacedToml, path: Path, key: string, value: unknown): void {
    const isTable = isObject(value);
    if (owner.form === 'value') {
      this.#insertItem(owner, itemsOf(owner), `${keyText(key)} = ${inline(value)}`);
    } else if (owner.dotted !== undefined) {
      const dotted = [...owner.dotted, key].map(keyText).join('.');
      const last = Math.max(...itemsOf(owner).map(({ end }) => end));
      this.#insertLine(last, `${dotted} = ${inline(value)}`);
    } else if (isTableList(value)) {
      for (const element of value) this.#addSection([...path.map(String), key], element, true);
    } else if (isTable && (path.length === 0 || owner.form === 'implied' || path.length < 2)) {
      this.#addSection([...path.map(String), key], value, false);
    } else if (owner.form === 'implied') {
      this.#addSection(path.map(String), { [key]: value }, false);
    } else if (path.length === 0) {
      // Further down, it would be in another table.
      this.#text = `${keyText(key)} = ${inline(value)}${this.#lineEnd}${this.#text}`;
    } else this.#insertLine(owner.end, `${keyText(key)} = ${inline(value)}`);
  }

  /** A table with a header at the end of the text; objects in it are tables with headers of their own. */
  #addSection(path: readonly string[], value: unknown, isElement: boolean): void {
    const members = Object.entries(isObject(value) ? value : {});
    const name = path.map(keyText).join('.');
    const plain = members.filter(([, one]) => !isObject(one));
    const lines = [
      isElement ? `[[${name}]]` : `[${name}]`,
      ...plain.map(([key, one]) => `${keyText(key)} = ${inline(one)}`),
    ];
    const isNeeded = isElement || plain.length > 0 || plain.length === members.length;
    if (isNeeded) {
      const before = this.#text.trimEnd();
      const space = before === '' ? '' : this.#lineEnd.repeat(2);
      this.#text = `${before}${space}${lines.join(this.#lineEnd)}${this.#lineEnd}`;
    }
    for (const [key, one] of members) if (isObject(one)) this.#addSection([...path, key], one, false);
  }

  /** Adds an item of an inline table or a list. */
  #insertItem(owner: PlacedToml, items: readonly PlacedToml[], text: string): void {
    const last = items.at(-1);
    if (last === undefined) {
      const isTable = this.#text.charAt(owner.offset) === '{';
      return this.#replace(owner.offset, owner.end, isTable ? `{ ${text} }` : `[${text}]`);
    }
    const before = /(?:^|[\r\n])([ \t]*)$/.exec(this.#text.slice(0, last.keyOffset));
    const space = before === null ? ' ' : `${this.#lineEnd}${before[1] ?? ''}`;
    const comma = /^[ \t]*,/.exec(this.#text.slice(last.end))?.[0].length;
    if (comma === undefined) this.#replace(last.end, last.end, `,${space}${text}`);
    else this.#replace(last.end + comma, last.end + comma, `${space}${text},`);
  }

  #removeItem(items: readonly PlacedToml[], item: PlacedToml): void {
    const index = items.indexOf(item);
    const next = items[index + 1];
    const before = items[index - 1];
    if (next !== undefined) this.#replace(item.keyOffset, next.keyOffset, '');
    else if (before !== undefined) this.#replace(before.end, item.end, '');
    else
      this.#replace(
        item.keyOffset,
        item.end + (/^[ \t]*,/.exec(this.#text.slice(item.end))?.[0].length ?? 0),
        '',
      );
  }

  #insertLine(after: number, line: string): void {
    const end = this.#text.slice(after).search(/\r?\n/);
    const at = end === -1 ? this.#text.length : after + end;
    this.#replace(at, at, `${this.#lineEnd}${line}`);
  }

  #lineStart(offset: number): number {
    return this.#text.lastIndexOf('\n', offset - 1) + 1;
  }

  #nextLine(offset: number): number {
    const end = this.#text.indexOf('\n', offset);
    return end === -1 ? this.#text.length : end + 1;
  }

  #replace(from: number, to: number, text: string): void {
    this.#text = this.#text.slice(0, from) + text + this.#text.slice(to);
  }
}

const itemsOf = (node: PlacedToml): readonly PlacedToml[] =>
  node.elements ?? [...(node.members?.values() ?? [])];

/** The lines of a value: itself, or the headers and lines of a table. */
function linesOf(node: PlacedToml): PlacedToml[] {
  if (node.form === 'value') return [node];
  const inside = itemsOf(node).flatMap(linesOf);
  return node.form === 'table' && node.elements === undefined
    ? [{ ...node, end: node.offset }, ...inside]
    : inside;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTableList = (value: unknown): value is readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

const keyText = (key: string): string => (/^[\w-]+$/.test(key) ? key : textOf(key));

/** JSON has the escapes of TOML, but leaves DEL as it is. */
const textOf = (text: string): string => JSON.stringify(text).replaceAll('\x7f', '\\u007f');

/** A value on one line. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isObject(value)) return typeof value === 'string' ? textOf(value) : JSON.stringify(value);
  const members = Object.entries(value).map(([key, one]) => `${keyText(key)} = ${inline(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
