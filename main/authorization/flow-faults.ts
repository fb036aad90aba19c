import type { Fault } from '#shared/contract/fault.ts';

/** What a flow says to a command that it cannot follow. */
export const notStopped: Fault = {
  code: 'flow-not-stopped',
  what: 'The flow is not stopped before a step.',
  next: 'Take a step back, or begin a new flow.',
};

export const nothingToTakeBack: Fault = {
  code: 'nothing-to-take-back',
  what: 'No step of this flow can be taken back.',
};

export const cannotSkip: Fault = {
  code: 'step-needed',
  what: 'The flow cannot go on without this step.',
  next: 'Send it, or enter what it would give in the settings of the server.',
};

export const cannotEnter: Fault = {
  code: 'nothing-to-enter',
  what: 'The flow does not wait for anything to be entered.',
  next: 'Take a step back, or begin a new flow.',
};

export const cannotOverride: Fault = {
  code: 'fault-not-overridable',
  what: 'The flow cannot continue after this.',
  next: 'Take a step back, or begin a new flow.',
};
