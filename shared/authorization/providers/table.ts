import type { KnownProviderId } from '#shared/contract/authorization.ts';
import { auth0 } from './auth0.ts';
import { cognito } from './cognito.ts';
import { entra } from './entra.ts';
import { github } from './github.ts';
import { google } from './google.ts';
import { keycloak } from './keycloak.ts';
import { okta } from './okta.ts';
import type { KnownProvider } from './provider.ts';

/** Every provider that is known, by its stable name. */
export const knownProviders: Readonly<Record<KnownProviderId, KnownProvider>> = {
  auth0,
  cognito,
  entra,
  github,
  google,
  keycloak,
  okta,
};
