import { isNestedDeeper } from '#shared/json/tokens.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { RawResponse } from './exchange.ts';
import { DEEPEST } from './checks/json-response.ts';
import { differenceOf } from './checks/urls.ts';
import { type FlowContext, type FlowEnvironment, issuerOf, type Metadata } from './flow-types.ts';

/** A member that is a text; null if it is missing or not one. */
export const textOf = (metadata: Metadata | null | undefined, name: string): string | null => {
  const value = metadata?.[name];
  return typeof value === 'string' ? value : null;
};

/** The texts of a member that is a list; null if it is missing or not one. */
export const listOf = (metadata: Metadata | null | undefined, name: string): readonly string[] | null => {
  const value = metadata?.[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null;
};

/** The JSON object in a response, or why it has none that can be used. */
export function readMetadata(
  response: Pick<RawResponse, 'status' | 'body' | 'isCut'>,
): { value: Metadata } | { why: string } {
  const { status, body, isCut } = response;
  if (status !== 200) return { why: `HTTP status ${status}` };
  if (isCut) return { why: 'The response is too long.' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (isNestedDeeper(text, DEEPEST))
      return { why: `The response is nested deeper than ${DEEPEST} levels.` };
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { value } : { why: 'The response is not a JSON object.' };
  } catch {
    const isPage = /^\s*<(?:!doctype|html)/i.test(body.toString('latin1', 0, 200));
    return { why: isPage ? 'The response is a web page, probably of a login.' : 'The response is not JSON.' };
  }
}

/**
 * The issuer as the authorization server writes it, in `iss` and as an audience: that of its metadata where only a slash at the end
 * differs from the one that was asked for. Otherwise the one that was asked for, whatever the metadata claims.
 */
export function writtenIssuer(
  env: Pick<FlowEnvironment, 'serverUrl'>,
  context: Pick<FlowContext, 'issuer' | 'serverMetadata'>,
): string {
  const asked = issuerOf(env, context);
  const written = textOf(context.serverMetadata, 'issuer');
  return written !== null && differenceOf(asked, written) === 'slash' ? written : asked;
}
