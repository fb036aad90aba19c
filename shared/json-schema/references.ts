import { pointerOf, pointerPath } from '#shared/json/pointer.ts';
import { draftOf, isSchema, namedKeywords, type Schema, valueKeywords } from './schema.ts';
import { resolveUri } from './uri-reference.ts';

/**
 * The schema that the `$ref` of a part of a document names: by JSON Pointer, `$anchor` or `$id`, resolved against the
 * ids around that part (JSON Schema 2020-12 core, section 8.2). Undefined without a `$ref`, and for a target that is not
 * in the document. Nothing is ever fetched.
 */
export function targetOf(part: Schema, root: Schema): Schema | undefined {
  const keyword = referenceKeywords.find((one) => typeof part[one] === 'string');
  return keyword === undefined ? undefined : targetBy(keyword, part, root);
}

/** A dynamic reference leads at least to what it names in its own document. */
export const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** What one keyword of a part refers to; see {@link targetOf}. */
export function targetBy(
  keyword: (typeof referenceKeywords)[number],
  part: Schema,
  root: Schema,
): Schema | undefined {
  const ref = part[keyword];
  return typeof ref === 'string' ? documentOf(root).target(ref, part) : undefined;
}

/** The JSON Pointer of a part of a document; undefined if it is not in it. */
export const pointerIn = (part: Schema, root: Schema): string | undefined => documentOf(root).pointerOf(part);

/** Names of a document (ids and anchors) that two different schemas have. */
export const namesUsedTwice = (root: Schema): ReadonlySet<string> => documentOf(root).ambiguous;

const documents = new WeakMap<Schema, SchemaDocument>();

function documentOf(root: Schema): SchemaDocument {
  const known = documents.get(root);
  if (known !== undefined) return known;
  const made = new SchemaDocument(root);
  documents.set(root, made);
  return made;
}

/** Where an object of a document is. */
interface Place {
  readonly parent: object | null;
  readonly key: string;
  /** The URI of the nearest id around it. */
  readonly base: string;
}

/** What ids are resolved against in a document whose root has none. */
const OWN_BASE = 'schema:///';

/** The names in a document, and what they stand for. */
class SchemaDocument {
  readonly ambiguous = new Set<string>();
  readonly #root: Schema;
  readonly #places = new Map<object, Place>();
  /** Schemas by the URI of their id, and by that URI with an anchor. */
  readonly #named = new Map<string, Schema>();

  constructor(root: Schema) {
    this.#root = root;
    this.#read();
  }

  target(ref: string, from: Schema): Schema | undefined {
    const base = this.#places.get(from)?.base ?? this.#places.get(this.#root)?.base ?? OWN_BASE;
    const { document, fragment } = resolveUri(ref, base);
    if (fragment !== '' && !fragment.startsWith('/')) return this.#unambiguous(`${document}#${fragment}`);
    const resource = this.#unambiguous(document);
    return resource === undefined ? undefined : schemaAt(resource, fragment);
  }

  pointerOf(part: Schema): string | undefined {
    const path: string[] = [];
    for (let one: object | null = part; one !== this.#root; ) {
      const place: Place | undefined = one === null ? undefined : this.#places.get(one);
      if (place === undefined) return undefined;
      path.push(place.key);
      one = place.parent;
    }
    return pointerOf(path.reverse());
  }

  #unambiguous(name: string): Schema | undefined {
    return this.ambiguous.has(name) ? undefined : this.#named.get(name);
  }

  #read(): void {
    const idKeyword = draftOf(this.#root).draft === 'draft-04' ? 'id' : '$id';
    const open: { part: object; place: Place; isMap: boolean }[] = [
      { part: this.#root, place: { parent: null, key: '', base: OWN_BASE }, isMap: false },
    ];
    this.#name(OWN_BASE, this.#root);
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const { part, place, isMap } = one;
      const base = isMap || !isSchema(part) ? place.base : this.#nameOf(part, part[idKeyword], place.base);
      this.#places.set(part, { ...place, base });
      for (const [key, inner] of Object.entries(part)) {
        if (typeof inner !== 'object' || inner === null) continue;
        if (!isMap && !Array.isArray(part) && valueKeywords.has(key)) continue;
        const isInnerMap = !isMap && !Array.isArray(inner) && namedKeywords.has(key);
        open.push({ part: inner, place: { parent: part, key, base }, isMap: isInnerMap });
      }
    }
  }

  /** Adds the names of a schema. Returns the base of its parts. */
  #nameOf(schema: Schema, id: unknown, outer: string): string {
    let base = outer;
    if (typeof id === 'string') {
      const { document, fragment } = resolveUri(id, outer);
      // Up to draft-07 an id that is a fragment is an anchor.
      if (fragment !== '') this.#name(`${document}#${fragment}`, schema);
      else if (document !== outer) {
        base = document;
        this.#name(document, schema);
      }
    }
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof anchor === 'string' && anchor !== '') this.#name(`${base}#${anchor}`, schema);
    }
    return base;
  }

  #name(name: string, schema: Schema): void {
    const other = this.#named.get(name);
    if (other === undefined) this.#named.set(name, schema);
    else if (other !== schema && JSON.stringify(other) !== JSON.stringify(schema)) this.ambiguous.add(name);
  }
}

/** The schema at a pointer. Those that allow everything or nothing have a boolean as their short form. */
function schemaAt(resource: Schema, pointer: string): Schema | undefined {
  let found: unknown = resource;
  for (const key of pointerPath(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  if (typeof found === 'boolean') return found ? {} : { not: {} };
  return isSchema(found) ? found : undefined;
}
