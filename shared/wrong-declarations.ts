import type { Agreement } from './contract/sessions.ts';
import { wrongCapabilities } from './protocol/capabilities.ts';

/** A capability that a server declared with a value of the wrong type. */
export interface WrongDeclaration {
  /** Path below `capabilities`; empty if they are no object themselves. */
  readonly path: string;
  /** A sentence without its full stop. */
  readonly text: string;
}

/** What a server declared wrongly. Empty if it was not asked for its capabilities. */
export function wrongDeclarations(agreement: Agreement | null): WrongDeclaration[] {
  if (agreement === null || agreement.handshake === null) return [];
  const { serverCapabilities, revision } = agreement;
  if (serverCapabilities === null) {
    return [{ path: '', text: 'The server wrongly declared its capabilities: they are no object' }];
  }
  return wrongCapabilities(serverCapabilities, revision).map(({ path, wrong }) => ({
    path,
    text: `The server wrongly declared the "${path}" capability: ${wrong}`,
  }));
}
