import { pointerPath } from './pointer.ts';
import { type Token, tokensOf } from './tokens.ts';

/**
 * A JSON text as a tree with places, also while it is being typed: nothing has to be closed or complete. For an editor,
 * which has to know where in a document the caret is.
 */

export interface TreeNode {
  readonly kind: 'object' | 'array' | 'string' | 'word';
  readonly start: number;
  /** Exclusive; beyond the end of the text if it is not closed, which is then still inside. */
  end: number;
  /** The members of an object, in order, including duplicates. */
  readonly members: TreeMember[];
  /** The items of an array. */
  readonly items: TreeNode[];
}

export interface TreeMember {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  /** Where the colon is; null if it was not typed yet. */
  colon: number | null;
  value: TreeNode | null;
}

/** The tree of a text; null if it holds no value. Further values after the first are left out. */
export function treeOf(text: string): TreeNode | null {
  let root: TreeNode | null = null;
  const open: TreeNode[] = [];
  /** Puts a value where one is expected. Returns false where none is. */
  const put = (node: TreeNode): boolean => {
    const parent = open.at(-1);
    if (parent === undefined) {
      if (root !== null) return false;
      root = node;
      return true;
    }
    if (parent.kind === 'array') {
      parent.items.push(node);
      return true;
    }
    const member = parent.members.at(-1);
    if (member === undefined || member.colon === null || member.value !== null) return false;
    member.value = node;
    return true;
  };
  for (const token of lineTokens(text)) {
    const parent = open.at(-1);
    switch (token.kind) {
      case '{':
      case '[': {
        const node = newNode(token.kind === '{' ? 'object' : 'array', token.start, text.length + 1);
        if (put(node)) open.push(node);
        break;
      }
      case '}':
      case ']':
        if (parent !== undefined) parent.end = token.end;
        open.pop();
        break;
      case ':': {
        const member = parent?.members.at(-1);
        if (member !== undefined && member.colon === null) member.colon = token.start;
        break;
      }
      case ',':
        break;
      default: {
        const node = newNode(token.kind, token.start, token.end);
        if (put(node) || parent?.kind !== 'object') break;
        const key = keyText(text.slice(token.start, token.end));
        parent.members.push({ key, keyStart: token.start, keyEnd: token.end, colon: null, value: null });
      }
    }
  }
  return root;
}

/** The tokens of each line: a string ends with its line, so that one that is not closed yet does not swallow the rest. */
function* lineTokens(text: string): Generator<Token> {
  let from = 0;
  for (const line of text.split('\n')) {
    for (const { kind, start, end } of tokensOf(line)) yield { kind, start: from + start, end: from + end };
    from += line.length + 1;
  }
}

const newNode = (kind: TreeNode['kind'], start: number, end: number): TreeNode => ({
  kind,
  start,
  end,
  members: [],
  items: [],
});

/** A key as it reads; a broken one as it was typed. */
function keyText(written: string): string {
  try {
    const key: unknown = JSON.parse(written);
    return String(key);
  } catch {
    return written.replace(/^"/, '').replace(/"$/, '');
  }
}

/** A step of a path: the key of a member or the index of an item. */
export type PathStep = string | number;

/** Where in a document a position is. */
export interface TreePlace {
  /** The path to the value at the position; for a key, to its object. */
  readonly path: readonly PathStep[];
  /** `key`: a member of the object begins or is named here. */
  readonly role: 'key' | 'value';
  /** What stands there and would be replaced; empty if nothing does. */
  readonly start: number;
  readonly end: number;
  /** For a key: whether its colon follows. */
  readonly hasColon: boolean;
  /** The object of a key. */
  readonly object: TreeNode | null;
}

/** The place of a position in a text; null outside of any value. */
export function placeAt(root: TreeNode | null, offset: number): TreePlace | null {
  const nothing = { start: offset, end: offset, hasColon: false, object: null };
  if (root === null) return { path: [], role: 'value', ...nothing };
  const path: PathStep[] = [];
  let node: TreeNode = root;
  for (;;) {
    if (node.kind === 'string' || node.kind === 'word') {
      if (offset < node.start || offset > node.end) return null;
      return { ...nothing, path, role: 'value', start: node.start, end: node.end };
    }
    if (offset <= node.start || offset > node.end) return null;
    const next =
      node.kind === 'object' ? placeInObject(node, path, offset) : placeInArray(node, path, offset);
    if ('role' in next) return next;
    path.push(next.step);
    node = next.value;
  }
}

function placeInObject(
  object: TreeNode,
  path: readonly PathStep[],
  offset: number,
): { step: PathStep; value: TreeNode } | TreePlace {
  for (const [index, { key, keyStart, keyEnd, colon, value }] of object.members.entries()) {
    const hasColon = colon !== null;
    if (offset > keyStart && offset <= keyEnd && !(hasColon && offset > colon)) {
      return { path: [...path], role: 'key', start: keyStart, end: keyEnd, hasColon, object };
    }
    if (value !== null && isWithin(value, offset)) return { step: key, value };
    const next = object.members[index + 1];
    const isBeforeNext = next === undefined || offset < next.keyStart;
    if (colon !== null && value === null && offset > colon && isBeforeNext) {
      return {
        path: [...path, key],
        role: 'value',
        start: offset,
        end: offset,
        hasColon: false,
        object: null,
      };
    }
  }
  return { path: [...path], role: 'key', start: offset, end: offset, hasColon: false, object };
}

function placeInArray(
  array: TreeNode,
  path: readonly PathStep[],
  offset: number,
): { step: PathStep; value: TreeNode } | TreePlace {
  const at = array.items.findIndex((item) => isWithin(item, offset));
  const value = array.items[at];
  if (value !== undefined) return { step: at, value };
  const before = array.items.filter(({ end }) => end <= offset).length;
  return {
    path: [...path, before],
    role: 'value',
    start: offset,
    end: offset,
    hasColon: false,
    object: null,
  };
}

/** A container is entered after its bracket; a string or word can be completed from either end. */
const isWithin = ({ kind, start, end }: TreeNode, offset: number): boolean =>
  kind === 'string' || kind === 'word' ? offset >= start && offset <= end : offset > start && offset < end;

/** The node at the end of a path; undefined if there is none. Of duplicate keys the last counts, as in JSON. */
export function nodeAt(root: TreeNode | null, path: readonly PathStep[]): TreeNode | undefined {
  let node = root ?? undefined;
  for (const step of path) {
    if (node === undefined) return undefined;
    node =
      node.kind === 'array'
        ? node.items[Number(step)]
        : (node.members.findLast(({ key }) => key === step)?.value ?? undefined);
  }
  return node;
}

/** Where the value of a pointer is; for a missing member, the key of the nearest value around it. */
export function rangeOf(root: TreeNode | null, pointer: string): { start: number; end: number } | null {
  const path = pointerPath(pointer);
  for (let length = path.length; length > 0; length--) {
    const node = nodeAt(root, path.slice(0, length));
    if (node === undefined) continue;
    if (length === path.length && (node.kind === 'string' || node.kind === 'word')) return node;
    const holder = nodeAt(root, path.slice(0, length - 1));
    const member = holder?.members.findLast(({ key }) => key === path[length - 1]);
    return member === undefined
      ? { start: node.start, end: node.start + 1 }
      : { start: member.keyStart, end: member.keyEnd };
  }
  return root === null ? null : { start: root.start, end: root.start + 1 };
}

/** The value of a string or word; undefined for anything else, and for one that is not valid. */
export function leafValue(text: string, node: TreeNode | undefined): unknown {
  if (node === undefined || node.kind === 'object' || node.kind === 'array') return undefined;
  try {
    return JSON.parse(text.slice(node.start, node.end));
  } catch {
    return undefined;
  }
}
