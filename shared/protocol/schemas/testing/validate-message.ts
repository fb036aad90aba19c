import { type MessageContext, schemaProblems } from '../index.ts';

type Message = Parameters<typeof schemaProblems>[0];
type Revision = MessageContext['revision'];
type Party = MessageContext['from'];

/** What is told of a message, each as `pointer: message`. */
export type Faults = readonly string[];

const faultsOf = (revision: Revision, from: Party, message: Message, method: string | null): Faults =>
  schemaProblems(message, { revision, method, from }).map(
    ({ pointer, message: words }) => `${pointer}: ${words}`,
  );

export const request = (
  revision: Revision,
  method: string,
  params?: unknown,
  from: Party = 'client',
): Faults => faultsOf(revision, from, { type: 'request', id: 1, method, params }, method);

export const notification = (
  revision: Revision,
  method: string,
  params?: unknown,
  from: Party = 'server',
): Faults => faultsOf(revision, from, { type: 'notification', method, params }, method);

export const answer = (
  revision: Revision,
  method: string | null,
  result: unknown,
  from: Party = 'server',
): Faults => faultsOf(revision, from, { type: 'result', id: 1, result }, method);

/** An error of the server. */
export const failure = (revision: Revision, code: number, data?: unknown): Faults =>
  faultsOf(revision, 'server', { type: 'error', id: 1, error: { code, message: 'no', data } }, 'tools/call');
