import { memberStarts } from '#shared/json/members.ts';
import { tokensOf } from '#shared/json/tokens.ts';

/** Longer lines are cut. */
const LONGEST = 1000;

/**
 * The params of a message in one line, such as `sku: "QX-2210", quantity: 5`: those in `arguments` like the others, values
 * as compact JSON with their numbers and escapes as written. Without `_meta`; empty without params.
 *
 * @param message the text of a message, or its start
 * @param subject the member that is shown elsewhere
 */
export function paramsInLine(message: string, subject: string | undefined): string {
  const params = [...memberStarts(memberStarts(message).get('params') ?? '')];
  const shown = params.filter(([key]) => key !== '_meta' && key !== subject).flatMap(withArguments);
  const parts: string[] = [];
  let length = 0;
  for (const [key, value] of shown) {
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
