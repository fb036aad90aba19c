import {
  type AuthorizationFlow,
  type AuthorizationStep,
  flowSchema,
  stepSchema,
} from '#shared/contract/authorization.ts';
import { seqsToRows } from '#trace/authorization-record.ts';
import { readRecord } from '#trace/view/row-reader.ts';
import type { RecordedRequests } from './recorded-requests.ts';

const factsSchema = flowSchema.omit({ steps: true });

/** The authorization flows of a recorded session, each as it was last recorded. */
export async function recordedFlows(
  sessionId: string,
  { trace, authorizations }: RecordedRequests,
): Promise<AuthorizationFlow[]> {
  const flows = new Map<
    string,
    { facts: Omit<AuthorizationFlow, 'steps'>; steps: Map<number, AuthorizationStep> }
  >();
  const { columns } = trace.index;
  for (const row of authorizations) {
    const record = await readRecord(trace, row);
    if (record.kind !== 'authorization') continue;
    const { data: facts } = factsSchema.safeParse(seqsToRows(record.flow, columns));
    // Written by another version, or edited by hand: the exchanges are still in the trace.
    if (facts === undefined) continue;
    const steps = flows.get(facts.id)?.steps ?? new Map<number, AuthorizationStep>();
    for (const one of record.steps) {
      const { data: step } = stepSchema.safeParse(seqsToRows(one, columns));
      if (step !== undefined) steps.set(step.id, step);
    }
    flows.set(facts.id, { facts, steps });
  }
  return [...flows.values()].map(({ facts, steps }) => ({
    ...facts,
    sessionId,
    serverId: sessionId,
    browserUrl: null,
    question: null,
    canOverride: false,
    entry: null,
    steps: [...steps.values()].toSorted((a, b) => a.id - b.id),
  }));
}
