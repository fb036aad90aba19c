import { type HeaderEntry, type HttpSettings, plainHttpSettings } from '#shared/contract/servers.ts';
import { isSecretHeader } from '#shared/secret-names.ts';
import { isHttpUrlTemplate } from '#shared/url-template.ts';
import type { JsonNode } from '#config/clients/jsonc.ts';
import { elementsOf, membersOf } from '#config/clients/json-source.ts';
import { isOnlyPlaceholders } from '#config/placeholders.ts';
import { isTrue, nodeOf, textIn } from './entry-members.ts';
import type { InputContext, Inputs } from './inputs.ts';

/** Why something of an entry cannot be imported, and what to do. */
export interface Rejection {
  readonly what: string;
  readonly next: string;
}

/** How schemas and authors call the transports. */
const transportNames: ReadonlyMap<string, HttpSettings['transport']> = new Map([
  ['streamable-http', 'streamable-http'],
  ['streamable', 'streamable-http'],
  ['streamablehttp', 'streamable-http'],
  ['http', 'streamable-http'],
  ['sse', 'http-sse'],
  ['http-sse', 'http-sse'],
]);

/** Reads a remote. */
export const readRemote = (node: JsonNode, inputs: Inputs): HttpSettings | Rejection =>
  readAddress(node, inputs, { scopes: [membersOf(nodeOf(node, 'variables'))] });

/**
 * Reads the address of a remote, or of a package that listens.
 *
 * @param context which inputs `{name}` in the URL and the headers stands for
 */
export function readAddress(
  node: JsonNode | undefined,
  inputs: Inputs,
  context: Pick<InputContext, 'scopes' | 'usesDefaults'>,
): HttpSettings | Rejection {
  const next = 'Use another package or remote of this server, or add the server by its URL.';
  const written = textIn(node, 'url')?.trim();
  const type = textIn(node, 'type') ?? textIn(node, 'transportType');
  if (node === undefined || written === undefined)
    return { what: `The URL of its transport "${type ?? ''}" is missing.`, next };
  const transport = type === null ? 'auto' : transportNames.get(type.toLowerCase());
  if (transport === undefined) return { what: `"${type ?? ''}" is no HTTP transport of MCP.`, next };
  const url = inputs.fill(written, node, { ...context, name: 'The URL', asksForUnknown: true });
  if (!isHttpUrlTemplate(url) || /\s/.test(url))
    return { what: `"${written}" is no address that begins with http:// or https://.`, next };
  return { ...plainHttpSettings(url), transport, headers: readHeaders(node, inputs, context) };
}

function readHeaders(
  node: JsonNode,
  inputs: Inputs,
  given: Pick<InputContext, 'scopes' | 'usesDefaults'>,
): HeaderEntry[] {
  return elementsOf(nodeOf(node, 'headers')).flatMap((header): HeaderEntry[] => {
    const name = textIn(header, 'name')?.trim();
    if (name === undefined) return [];
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      inputs.leftOut.push({ key: name, why: 'A header cannot have this name.' });
      return [];
    }
    const isCredential = isTrue(header, 'isSecret') || isSecretHeader(name);
    const context = { ...given, name, asksForUnknown: true, canBeOmitted: true, isSecret: isCredential };
    const value = inputs.valueOf(header, context);
    if (value === null) return [];
    const isSecret = isCredential || /^(?:bearer|basic|token) /i.test(value);
    return [{ name, value, secret: isSecret && !isOnlyPlaceholders(value) }];
  });
}
