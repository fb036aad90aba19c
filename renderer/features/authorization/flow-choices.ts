import { create } from 'zustand';
import type { AuthorizationFlow, AuthorizationSettings } from '#shared/contract/authorization.ts';

/** What the user chose for the next flow of a server; what is missing is as in the flow on screen. */
export interface FlowChoices {
  readonly mode?: AuthorizationFlow['mode'];
  /** Null for the negotiated one. */
  readonly revision?: string | null;
  /** Overrides the settings of the server. May hold secrets, so it is never stored. */
  readonly settings?: Partial<AuthorizationSettings>;
}

const useChoices = create<Readonly<Record<string, FlowChoices>>>()(() => ({}));

const none: FlowChoices = {};

export const useFlowChoices = (serverId: string): FlowChoices =>
  useChoices((choices) => choices[serverId]) ?? none;

export const chooseForFlow = (serverId: string, change: FlowChoices): void =>
  useChoices.setState(({ [serverId]: known }) => ({ [serverId]: { ...known, ...change } }));
