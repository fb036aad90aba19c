import { z } from 'zod';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';

/** The notifications that `subscriptions/listen` requests (MCP 2026-07-28 subscriptions; tasks extension). */
export const listenFilterSchema = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).optional(),
  taskIds: z.array(z.string()).optional(),
});
export type ListenFilter = z.infer<typeof listenFilterSchema>;

export const subscriptionStates = [
  /** Not acknowledged yet. */
  'requested',
  'active',
  /** The server rejected it. */
  'refused',
  /** Ended regularly: by us, or by the result that ends a listen stream. */
  'ended',
  /** Its stream broke. */
  'broken',
] as const;

/** One subscription: a resource in the legacy era, a listen stream in the modern era. */
export const subscriptionSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  state: z.enum(subscriptionStates),
  /** What was requested; in the legacy era always one resource. */
  requested: listenFilterSchema,
  /** What the server acknowledged; null before that, and in the legacy era. */
  acknowledged: listenFilterSchema.nullable(),
  kind: z.enum(['resource', 'listen']),
  /** Row of the request. */
  row: z.number().int(),
  /** Notifications received through it. */
  notifications: z.number().int(),
  /** Row of the last one. */
  lastRow: z.number().int().nullable(),
  fault: faultSchema.nullable(),
});
export type Subscription = z.infer<typeof subscriptionSchema>;

const ofSession = z.object({ sessionId: z.string() });

export const subscriptionsArea = defineArea({
  commands: {
    'subscriptions/list': { params: ofSession, result: z.array(subscriptionSchema) },
    /** Sends `resources/subscribe`; resolves with the response. */
    'subscriptions/subscribe': { params: ofSession.extend({ uri: z.string() }), result: subscriptionSchema },
    /** Opens a listen stream; resolves when the request was sent. */
    'subscriptions/listen': {
      params: ofSession.extend({ filter: listenFilterSchema }),
      result: subscriptionSchema,
    },
    /** Unsubscribes, or closes the listen stream. */
    'subscriptions/end': { params: ofSession.extend({ id: z.string() }), result: z.null() },
  },
  events: {
    'subscriptions/changed': subscriptionSchema,
  },
});
