import type { Fault } from '#shared/contract/fault.ts';
import type { FlowContext, FlowEnvironment, TriedUrl } from './flow-types.ts';
import { listOf } from './metadata.ts';
import { isHttpUrl } from './metadata-candidates.ts';

/** The authorization servers of the resource metadata that can be used. */
export const issuersIn = ({ resourceMetadata }: Pick<FlowContext, 'resourceMetadata'>): readonly string[] =>
  (listOf(resourceMetadata, 'authorization_servers') ?? []).filter(isHttpUrl);

/** The authorization servers that were not tried so far. */
export function serversLeft(context: FlowContext): readonly string[] {
  const tried = new Set([context.issuer, ...context.otherServers.map(({ issuer }) => issuer)]);
  return issuersIn(context).filter((one) => !tried.has(one));
}

/** A URL that was tried, for evidence. */
export const lineOf = ({ url, why }: TriedUrl): string => `${url}: ${why}`;

/** The label of the step that goes on at the next authorization server. */
export const NEXT_SERVER = 'another authorization server';

/** The code of the fault of a server whose authorization server is not known. */
export const NO_METADATA = 'no-authorization-metadata';

/** Nothing is known about the authorization server. */
export function noServerMetadata(env: FlowEnvironment, context: FlowContext): Fault {
  const { resourceTried, serverTried, otherServers, issuer, isIssuerChosen } = context;
  const evidence = [...resourceTried, ...otherServers.flatMap(({ tried }) => tried), ...serverTried]
    .map(lineOf)
    .join('\n');
  const named = issuersIn(context);
  if (issuer === null || named.length === 0) {
    return {
      code: NO_METADATA,
      what: 'The server demands authorization, but no metadata of its authorization server was found.',
      why: 'None of the URLs at which it could be has usable metadata.',
      next: env.isRevisionKnown
        ? 'Have the server serve resource metadata at one of the URLs below, or, if it takes a token of another kind, enter a header with it in its settings. Revision 2025-03-26 in the settings uses the default endpoints /authorize, /token and /register.'
        : 'If the server takes a token of another kind, enter a header with it in its settings. If it uses OAuth, have it serve resource metadata at one of the URLs below.',
      evidence,
    };
  }
  const left = serversLeft(context);
  const tried = [...otherServers.map((one) => one.issuer), issuer];
  return {
    code: 'authorization-server-unavailable',
    what: `No metadata of the authorization server${tried.length === 1 ? '' : 's'} ${tried.join(' and ')} can be had.`,
    why: 'The resource metadata names it, but none of the URLs of its metadata can be used.',
    next:
      isIssuerChosen && left.length > 0
        ? `You chose it. The resource metadata names ${left.join(' and ')} too: begin a new flow, and choose that.`
        : 'Look whether the authorization server runs and can be reached from here, and whether authorization_servers names the issuer as it is written in its metadata.',
    evidence,
  };
}
