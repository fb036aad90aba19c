import type { AuthorizationSettings, KnownProviderId, StepName } from '#shared/contract/authorization.ts';
import type { AuthorizationRuleName } from '../rules.ts';

/** Where something is documented. Read on `PROVIDERS_READ`. */
export interface ProviderSource {
  readonly title: string;
  readonly url: string;
}

/** The day on which the sources were read. */
export const PROVIDERS_READ = '2026-11-28';

/** Stands for the resource of the flow, or the URL of the server, in the value of an extra parameter. */
export const RESOURCE = '{resource}';

/** The settings that a provider may need. What is missing stays as it is. */
export type ProviderSettings = Partial<
  Pick<
    AuthorizationSettings,
    | 'registration'
    | 'authMethod'
    | 'extra'
    | 'tokenExtra'
    | 'dropped'
    | 'assertionAudience'
    | 'redirect'
    | 'assumesPkce'
  >
>;

/** How a flow shows a trap: everything that is given must hold for one step of it. */
export interface TrapSign {
  readonly steps?: readonly StepName[];
  /** The step has a finding of one of these rules. */
  readonly rules?: readonly AuthorizationRuleName[];
  /** The flow failed at the step with one of these faults. */
  readonly faults?: readonly string[];
  readonly status?: readonly number[];
  /** What the server answered has one of these phrases. */
  readonly says?: readonly string[];
  /** The token response has no such member. */
  readonly lacks?: string;
  /** A token endpoint with this path, as in `AddressShape`. */
  readonly tokenPath?: string;
  /** A parameter that the authorization request has. */
  readonly sent?: string;
  /** A parameter that the authorization request does not have. */
  readonly notSent?: string;
  /** What the page in the browser says, which nobody but the user sees: the sign holds while a flow waits for the browser. */
  readonly page?: readonly string[];
}

/** Something that a client stumbles over at a provider, and what to do about it. */
export interface ProviderTrap {
  /** Unique among the traps of a provider. */
  readonly id: string;
  /** What goes wrong, in a few words. */
  readonly title: string;
  readonly cause: string;
  readonly wayOn: string;
  /** Any of these shows it. */
  readonly shownBy: readonly TrapSign[];
  /** What avoids it, with the label of the button that sets it; null if nothing can be set here. */
  readonly remedy: { readonly label: string; readonly settings: ProviderSettings } | null;
  readonly sources: readonly ProviderSource[];
}

/** Paths of a server; `*` stands for any characters of one segment. All of the given ones must match. */
export interface AddressShape {
  readonly issuer?: string;
  readonly authorization?: string;
  readonly token?: string;
}

/** An authorization server that many MCP servers name, and what it is documented to do. */
export interface KnownProvider {
  readonly id: KnownProviderId;
  readonly label: string;
  /** Its hosts; `*.` stands for any labels before the rest, another `*` for a part of one label. Empty if everybody runs it. */
  readonly hosts: readonly string[];
  /** How its addresses look on any host, such as a domain of the customer. */
  readonly shapes: readonly AddressShape[];
  /** Texts that no other provider writes. */
  readonly marks: readonly string[];
  /** What is filled in when the user chooses it. */
  readonly settings: ProviderSettings;
  /** What is filled in, and what the user has to add, in sentences. */
  readonly notes: readonly string[];
  readonly traps: readonly ProviderTrap[];
}
