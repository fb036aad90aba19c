import { truncate } from '#shared/format.ts';
import { memberStarts } from './members.ts';
import { tokensOf } from './tokens.ts';

/** Longer lines are cut, and longer previews. */
const LONGEST = 1000;
const LONGEST_PREVIEW = 120;

/**
 * The arguments of a call in one line, such as `sku: "QX-2210", quantity: 5`: values as compact JSON with their numbers and
 * escapes as written. Empty without arguments.
 *
 * @param args the text of an object, or its start
 */
export const argumentsInLine = (args: string): string => inLine([...memberStarts(args)]);

/**
 * The same for the params of a message, with the members of `arguments` like the others, and without `_meta`.
 *
 * @param params the text of an object, or its start
 * @param subject the member that is shown elsewhere
 */
export function paramsInLine(params: string, subject: string | undefined): string {
  const shown = [...memberStarts(params)].filter(([key]) => key !== '_meta' && key !== subject);
  return inLine(shown.flatMap(withArguments));
}

/**
 * The same, cut to a column of a table.
 *
 * @param redacted replaces secrets, which must not be cut before
 */
export const previewOfParams = (
  params: string,
  subject: string | undefined,
  redacted: (line: string) => string = (line) => line,
): string => truncate(redacted(paramsInLine(params, subject)), LONGEST_PREVIEW);

function inLine(members: readonly Member[]): string {
  const parts: string[] = [];
  let length = 0;
  for (const [key, value] of members) {
    if (length > LONGEST) break;
    const part = `${PLAIN_KEY.test(key) ? key : JSON.stringify(key)}: ${compactStart(value)}`;
    length += part.length;
    parts.push(part);
  }
  return parts.join(', ').slice(0, LONGEST);
}

const PLAIN_KEY = /^[\w$.-]+$/;

type Member = readonly [key: string, value: string];

/** The members of `arguments` in its place, if it is an object; else the member itself. */
function withArguments(member: Member): readonly Member[] {
  const [key, value] = member;
  return key === 'arguments' && value.startsWith('{') ? [...memberStarts(value)] : [member];
}

/** The start of a JSON value without the whitespace between its tokens. */
function compactStart(json: string): string {
  let compact = '';
  for (const { start, end } of tokensOf(json)) {
    compact += json.slice(start, end);
    if (compact.length > LONGEST) break;
  }
  return compact;
}
