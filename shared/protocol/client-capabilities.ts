import { TASKS_EXTENSION } from './methods.ts';
import { isKnownRevision, revisionAtLeast } from './revisions.ts';

/**
 * All that Sightglass can do as a client of a revision, in the form in which it is announced (MCP lifecycle,
 * capability negotiation). Announcing lets a server ask: each question goes to the inbox.
 */
export function defaultClientCapabilities(revision: string): Record<string, unknown> {
  const atLeast = (than: '2025-06-18' | '2025-11-25' | '2026-07-28') =>
    !isKnownRevision(revision) || revisionAtLeast(revision, than);
  if (isKnownRevision(revision) && atLeast('2026-07-28')) {
    return {
      roots: {},
      sampling: { tools: {}, context: {} },
      elicitation: { form: {}, url: {} },
      extensions: { [TASKS_EXTENSION]: {} },
    };
  }
  if (atLeast('2025-11-25')) {
    return {
      roots: { listChanged: true },
      sampling: { tools: {}, context: {} },
      elicitation: { form: {}, url: {} },
      tasks: {
        list: {},
        cancel: {},
        requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
      },
    };
  }
  return {
    roots: { listChanged: true },
    sampling: {},
    ...(atLeast('2025-06-18') && { elicitation: {} }),
  };
}
