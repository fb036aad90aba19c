import { create } from 'zustand';
import { type Fault, faultOf as faultIn } from '#shared/contract/fault.ts';

/** Faults that are shown beside what failed, by a key that names it. */
const useFaults = create<Readonly<Record<string, Fault>>>()(() => ({}));

/** The fault under a key; null when there is none. */
export const useFault = (key: string | null): Fault | null =>
  useFaults((faults) => (key === null ? null : (faults[key] ?? null)));

/** Sets the fault under a key; null clears it. */
export const setFault = (key: string, fault: Fault | null): void =>
  useFaults.setState(
    ({ [key]: _, ...others }) => (fault === null ? others : { ...others, [key]: fault }),
    true,
  );

/** Converts any error to a fault. */
export const faultOf = (error: unknown): Fault => faultIn('drew this window', error);
