import { type Document, isCollection, isScalar, isSeq, parseDocument } from 'yaml';
import { nested, notEditable, type Path, type TextEdit } from './text-edit.ts';

/** Edits YAML in place: comments stay, and so does the text if nothing is changed. The text must be valid. */
export class YamlEdit implements TextEdit {
  readonly #original: string;
  readonly #document: Document;
  #isChanged = false;

  constructor(text: string) {
    this.#original = text;
    this.#document = parseDocument(text, { logLevel: 'error', prettyErrors: false, uniqueKeys: false });
  }

  get text(): string {
    if (!this.#isChanged) return this.#original;
    const indent = /\n( +)\S/.exec(this.#original)?.[1]?.length ?? 2;
    const isIndented = !/:[ \t]*\r?\n- /.test(this.#original);
    const text = this.#document.toString({
      lineWidth: 0,
      indent: Math.min(8, Math.max(2, indent)),
      indentSeq: isIndented,
      flowCollectionPadding: !/\{\S/.test(this.#original),
    });
    return this.#original.includes('\r\n') ? text.replaceAll(/\r?\n/g, '\r\n') : text;
  }

  /** @throws FaultError */
  set(path: Path, value: unknown): void {
    this.#isChanged = true;
    // What is empty or null becomes an object.
    for (let length = 0; length < path.length; length++) {
      const node = length === 0 ? this.#document.contents : this.#document.getIn(path.slice(0, length), true);
      if (isCollection(node)) continue;
      const inside = nested(path.slice(length), value);
      if (length === 0) this.#document.contents = this.#document.createNode(inside);
      else this.#document.setIn(path.slice(0, length), this.#document.createNode(inside));
      return;
    }
    const existing = this.#document.getIn(path, true);
    // The comment behind a value stays with it.
    if (isScalar(existing) && typeof value === 'string') existing.value = value;
    else this.#document.setIn(path, this.#document.createNode(value));
  }

  /** @throws FaultError */
  append(path: Path, value: unknown): void {
    const list = this.#document.getIn(path, true);
    if (!isSeq(list)) throw notEditable(path);
    this.#isChanged = true;
    list.add(this.#document.createNode(value));
  }

  remove(path: Path): void {
    if (!this.#document.hasIn(path)) return;
    this.#isChanged = true;
    this.#document.deleteIn(path);
  }
}
