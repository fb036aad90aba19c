import { type Context, createContext, Script } from 'node:vm';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** What work came to that was given only so much time. */
export type InTime<T> = { readonly isInTime: true; readonly value: T } | { readonly isInTime: false };

const script = new Script('work()');
let context: (Context & { work?: () => void }) | undefined;

/**
 * Does work that might never end, and stops it after so many milliseconds wherever it is, inside a regular
 * expression too. It must not wait for anything. What it throws is thrown; what it has begun to change is lost.
 */
export function withinTime<T>(limit: number, work: () => T): InTime<T> {
  context ??= createContext({});
  let result: InTime<T> = { isInTime: false };
  context.work = () => {
    result = { isInTime: true, value: work() };
  };
  try {
    script.runInContext(context, { timeout: limit });
  } catch (error) {
    if (!isObject(error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return { isInTime: false };
  } finally {
    delete context.work;
  }
  return result;
}
