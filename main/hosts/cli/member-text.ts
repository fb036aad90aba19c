import { findNodeAtLocation, parseTree } from 'jsonc-parser';

/** The text of a member of JSON as it was written, so that numbers and the order of keys survive. */
export function memberText(json: string, ...path: readonly string[]): string | undefined {
  const root = parseTree(json);
  const node = root && findNodeAtLocation(root, [...path]);
  return node && json.slice(node.offset, node.offset + node.length);
}
