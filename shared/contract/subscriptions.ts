import { z } from 'zod';
import { defineArea } from './area.ts';
import { faultSchema } from './fault.ts';

/** What a `subscriptions/listen` asks to be told of (MCP 2026-07-28 subscriptions; tasks extension). */
export const listenFilterSchema = z.object({
  toolsListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string()).optional(),
  taskIds: z.array(z.string()).optional(),
});
export type ListenFilter = z.infer<typeof listenFilterSchema>;

export const subscriptionStates = [
  /** Asked for and not acknowledged yet. */
  'requested',
  'active',
  /** The server said no. */
  'refused',
  /** Ended in order: by us, or by the result that ends a listen stream. */
  'ended',
  /** Its stream broke off. */
  'broken',
] as const;

/** One subscription: to a resource in the legacy era, one listen stream in the modern one. */
export const subscriptionSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  state: z.enum(subscriptionStates),
  /** What was asked for: of the legacy era always one resource. */
  requested: listenFilterSchema,
  /** What the server says it honours; null before it has, and in the legacy era. */
  acknowledged: listenFilterSchema.nullable(),
  kind: z.enum(['resource', 'listen']),
  /** Row of the request. */
  row: z.number().int(),
  /** Notifications that came by it. */
  notifications: z.number().int(),
  /** Row of the last of them. */
  lastRow: z.number().int().nullable(),
  fault: faultSchema.nullable(),
});
export type Subscription = z.infer<typeof subscriptionSchema>;

const ofSession = z.object({ sessionId: z.string() });

export const subscriptionsArea = defineArea({
  commands: {
    'subscriptions/list': { params: ofSession, result: z.array(subscriptionSchema) },
    /** Subscribes to a resource with `resources/subscribe`; done once it was answered. */
    'subscriptions/subscribe': { params: ofSession.extend({ uri: z.string() }), result: subscriptionSchema },
    /** Opens a listen stream; done once it was sent. */
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
