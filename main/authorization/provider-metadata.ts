import type { Fault } from '#shared/contract/fault.ts';
import { checkServerMetadata } from './checks/server-metadata.ts';
import { whyNoServer } from './discovery.ts';
import type { FlowContext, FlowEnvironment, PlannedStep, TriedUrl } from './flow-types.ts';
import { readMetadata, textOf } from './metadata.ts';
import { getRequest, serverCandidates } from './metadata-candidates.ts';
import { withFindings } from './step-findings.ts';

/** The next URL of the metadata of the identity provider to try. */
export function planProviderMetadata(
  env: FlowEnvironment,
  context: FlowContext,
  issuer: string,
): PlannedStep {
  // Identity providers speak OpenID Connect, so its form comes first.
  const candidates = serverCandidates(issuer, true).toReversed();
  const candidate = candidates[context.providerTried.length];
  if (candidate === undefined) {
    return {
      name: 'server-metadata',
      label: 'identity provider',
      parties: ['client'],
      request: null,
      decidedBy: null,
      alternatives: [],
      contextIfSkipped: null,
      act: {
        kind: 'local',
        conclude: () => ({
          context,
          outcome: 'No metadata of the identity provider was found.',
          fault: noProviderMetadata(issuer, context.providerTried),
        }),
      },
    };
  }
  const tried = (why: string): FlowContext => ({
    ...context,
    providerTried: [...context.providerTried, { url: candidate.url, why }],
  });
  return {
    name: 'server-metadata',
    label: `identity provider, ${candidate.label}`,
    parties: ['client', 'identity-provider'],
    request: getRequest(env, candidate.url),
    decidedBy: { text: 'The settings of the server name the identity provider.', source: candidate.source },
    alternatives: [],
    contextIfSkipped: tried('skipped'),
    act: {
      kind: 'exchange',
      failed: ({ what }) => ({ context: tried(what), outcome: `Not usable: ${what}` }),
      conclude: (response) => {
        const { findings, stop: stopped } = checkServerMetadata(response, {
          revision: env.rules.revision,
          issuer,
          // Whether it can sign users in is decided when they do.
          usesBrowser: false,
          needsRegistration: false,
        });
        const read = readMetadata(response);
        const why = 'why' in read ? read.why : whyNoServer(read.value);
        if (why !== null || 'why' in read)
          return { context: tried(why ?? ''), outcome: `Not usable: ${why}`, findings };
        if (textOf(read.value, 'issuer') !== issuer) {
          const outcome = 'It is the metadata of another issuer.';
          const known = { ...context, providerMetadata: read.value };
          return { context: known, outcome, findings, fault: otherProvider(issuer), canOverride: true };
        }
        const known = {
          context: { ...context, providerMetadata: read.value },
          outcome: 'The endpoints of the identity provider are known.',
        };
        return withFindings(known, { value: null, findings, stop: stopped });
      },
    },
  };
}

const otherProvider = (issuer: string): Fault => ({
  code: 'issuer-mismatch',
  what: `The metadata that was requested for the identity provider ${issuer} names another issuer.`,
  why: 'Metadata of another issuer must not be used (OpenID Connect Discovery 4.3).',
  next: 'Correct the issuer of the identity provider in the settings of the server. A stepped flow can continue anyway, to test.',
});

const noProviderMetadata = (issuer: string, tried: readonly TriedUrl[]): Fault => ({
  code: 'no-authorization-metadata',
  what: `No metadata of the identity provider ${issuer} was found.`,
  why: 'None of the URLs at which it could be has usable metadata.',
  next: 'Look whether it runs and can be reached from here, and whether its issuer in the settings of the server is written as in its metadata.',
  evidence: tried.map(({ url, why }) => `${url}: ${why}`).join('\n'),
});
