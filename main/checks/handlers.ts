import type { Handlers } from '#shared/contract/index.ts';
import type { Traces } from '#trace/traces.ts';

type ChecksCommand = Extract<keyof Handlers, `checks/${string}`>;

export function checksHandlers(traces: Traces): Pick<Handlers, ChecksCommand> {
  const findingsOf = (sessionId: string) => traces.feed(sessionId).trace.findings;
  return {
    'checks/findings': ({ sessionId, from, count }) => {
      const findings = findingsOf(sessionId);
      return { total: findings.count, findings: findings.page(from, count) };
    },
    'checks/of-row': ({ sessionId, row }) => findingsOf(sessionId).ofRow(row),
  };
}
