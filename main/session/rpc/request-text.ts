import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { messageOf } from '#shared/contract/fault.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { memberTexts } from '#trace/units/raw-json.ts';

/**
 * The text of a request. `params` and `meta` are JSON text of objects and stand in it as they were written, so that
 * numbers, duplicate keys and the order of keys survive.
 *
 * @param meta what goes into `_meta` beside what stands there: a member that is there already wins
 */
export function requestText(
  id: number,
  method: string,
  params: string | null,
  meta: Readonly<Record<string, unknown>>,
): string {
  const whole = Object.keys(meta).length === 0 ? params : withMeta(params ?? '{}', meta);
  const tail = whole === null ? '' : `,"params":${whole}`;
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${tail}}`;
}

/** What the user wrote as a JSON object, on one line: a message may hold no newline (MCP transports, stdio). */
export function objectOnOneLine(json: string): { readonly text: string } | { readonly why: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    return { why: messageOf(error) };
  }
  if (!isObject(parsed)) return { why: 'It is JSON, but not an object.' };
  // Between tokens a newline is white space, and inside a string JSON does not allow one.
  return { text: json.trim().replaceAll(/[\r\n]+/g, ' ') };
}

/** An object's text with one more member at its end. */
export function withMember(object: string, key: string, value: string): string {
  const own = object.trim().slice(1, -1).trim();
  return `{${own === '' ? '' : `${own},`}${JSON.stringify(key)}:${value}}`;
}

/** An object's text with the members of this object in its `_meta`, before those of the same name that stand there. */
export function withOwnMeta(params: string, meta: string): string {
  const tree = params.includes('_meta') ? parseTree(params) : undefined;
  const node = tree && findNodeAtLocation(tree, ['_meta']);
  if (node === undefined) return withMember(params, '_meta', meta);
  const end = node.offset + node.length;
  const merged = new Map([...memberTexts(params.slice(node.offset, end)), ...memberTexts(meta)]);
  const members = [...merged].map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return `${params.slice(0, node.offset)}{${members.join(',')}}${params.slice(end)}`;
}

/** An object's text with these members in its `_meta`, but for those that stand there already. */
export function withMeta(params: string, meta: Readonly<Record<string, unknown>>): string {
  const own = params.includes('_meta') ? parseTree(params) : undefined;
  const node = own && findNodeAtLocation(own, ['_meta']);
  if (node?.type !== 'object') {
    // What stands there and is no object is sent as it is.
    return node === undefined ? withMember(params, '_meta', JSON.stringify(meta)) : params;
  }
  const has = new Set(node.children?.map((member) => String(member.children?.[0]?.value)));
  const lacking = Object.entries(meta).filter(([key]) => !has.has(key));
  if (lacking.length === 0) return params;
  const added = JSON.stringify(Object.fromEntries(lacking)).slice(1, -1);
  const at = node.offset + 1;
  return `${params.slice(0, at)}${added}${has.size > 0 ? ',' : ''}${params.slice(at)}`;
}
