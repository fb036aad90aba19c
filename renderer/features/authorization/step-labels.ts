import type {
  AuthorizationFlow,
  AuthorizationParty,
  AuthorizationStep,
  StepName,
} from '#shared/contract/authorization.ts';

export const stepLabels: Readonly<Record<StepName, string>> = {
  challenge: 'Challenge',
  'resource-metadata': 'Resource metadata',
  'server-metadata': 'Server metadata',
  credentials: 'Credentials',
  resource: 'Resource',
  'client-metadata': 'Client metadata',
  registration: 'Registration',
  'authorization-request': 'Authorization',
  callback: 'Callback',
  'sign-in': 'Sign-in',
  assertion: 'Assertion',
  token: 'Token exchange',
  'verify-signature': 'Verify signature',
  'use-token': 'Use token',
  'step-up': 'Step-up',
  refresh: 'Refresh',
  revoke: 'Revoke',
  introspect: 'Introspect',
  'check-cors': 'CORS',
};

export const stateLabels: Readonly<Record<AuthorizationStep['state'], string>> = {
  planned: 'comes later',
  stopped: 'stopped before sending',
  running: 'running',
  waiting: 'waiting',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  'taken-back': 'taken back',
};

export const flowStateLabels: Readonly<Record<AuthorizationFlow['state'], string>> = {
  running: 'running',
  stopped: 'stopped',
  waiting: 'waiting',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** Headings of the columns, on two lines where they have two words. */
export const partyLabels: Readonly<Record<AuthorizationParty, string>> = {
  client: 'Client',
  'mcp-server': 'MCP\nserver',
  'authorization-server': 'Authorization\nserver',
  'identity-provider': 'Identity\nprovider',
  browser: 'Browser',
};
