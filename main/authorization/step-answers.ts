import type { BodyKind } from '#shared/body-secrets.ts';
import type { StepName } from '#shared/contract/authorization.ts';
import type { PlannedStep } from './flow-types.ts';

/** What the response of each step may hold. Of a step with tokens only what is known to be harmless is kept and shown. */
const answers: Readonly<Record<StepName, BodyKind>> = {
  challenge: 'document',
  'resource-metadata': 'document',
  'server-metadata': 'document',
  'client-metadata': 'document',
  registration: 'tokens',
  'authorization-request': 'tokens',
  callback: 'tokens',
  'sign-in': 'tokens',
  assertion: 'tokens',
  token: 'tokens',
  'verify-signature': 'keys',
  'use-token': 'document',
  'step-up': 'document',
  refresh: 'tokens',
  revoke: 'tokens',
  introspect: 'tokens',
  'check-cors': 'document',
  // Questions to the user, which have no response.
  credentials: 'document',
  resource: 'document',
};

/** The keys of the identity provider are read in a step of the sign-in. */
export const answersOf = ({ name, label }: Pick<PlannedStep, 'name' | 'label'>): BodyKind =>
  name === 'sign-in' && label === 'keys' ? 'keys' : answers[name];
