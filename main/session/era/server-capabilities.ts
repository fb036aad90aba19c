import { z } from 'zod';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/**
 * The capabilities of a server. Null if they are no object: that is a finding and no reason not to connect, because PHP writes
 * an empty object as an empty array.
 */
export const serverCapabilitiesSchema = z
  .unknown()
  .refine((value) => value !== undefined, 'missing')
  .transform((value) => (isObject(value) ? value : null));
