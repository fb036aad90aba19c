import { type AuthorizationRuleName, stopsAlways } from '#shared/authorization/rules.ts';
import type { AuthorizationFinding } from '#shared/contract/authorization.ts';

/** Rules for which a flow stops, and after which a stepped one can continue to test what the server does then: all that it needs is known. */
const continuable: ReadonlySet<string> = new Set<AuthorizationRuleName>([
  'resource-missing',
  'resource-invalid',
  'resource-differs',
  'authorization-servers-missing',
  'authorization-servers-empty',
  'issuer-missing',
  'issuer-differs',
  'issuer-slash-differs',
  'issuer-spelling-differs',
  'pkce-not-advertised',
  'pkce-s256-missing',
]);

/** Whether nothing else than these rules stops a flow. */
export const canContinue = (findings: readonly AuthorizationFinding[]): boolean =>
  findings.every(({ rule }) => continuable.has(rule) || !stopsAlways(rule));
