import { FaultError } from '#shared/contract/fault.ts';
import type { Handlers } from '#shared/contract/index.ts';

type Missing = Extract<keyof Handlers, 'traces/receive'>;

const missing = (name: string) => (): never => {
  throw new FaultError({ code: 'not-built', what: `${name} is being built.` });
};

/** Commands whose handlers are being built; each goes from here as its handler comes. */
export const notBuilt: Pick<Handlers, Missing> = {
  'traces/receive': missing('traces/receive'),
};
