import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import type { FlowExportFormat } from '#shared/contract/exports.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { isCredentialParameter, isSecretHeader } from '#shared/secret-names.ts';
import { withTexts } from '#trace/authorization-record.ts';
import type { Output } from '#trace/export/output.ts';
import type { Source } from '#trace/export/source.ts';
import { writeFlowHar } from './flow-har.ts';
import { flowReport } from './flow-report.ts';

interface FlowExport {
  readonly flows: readonly AuthorizationFlow[];
  /** The trace with the exchanges of the flows. */
  readonly from: Source;
  readonly output: Output;
}

/** Writes flows without secrets; returns how many entries the file has. @throws FaultError */
export async function writeFlows(
  format: FlowExportFormat,
  { flows, from, output }: FlowExport,
): Promise<number> {
  // The engine has replaced their secrets, but a trace file may be of someone else, and the user may have patterns.
  const safe = flows.map(
    (flow) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts have changed
      withTexts(withoutNamedSecrets(flow), (text) => from.text(text)) as AuthorizationFlow,
  );
  if (format === 'har') return writeFlowHar(safe, from, output);
  await output.write(safe.map((flow) => flowReport(flow, from.header)).join('\n'));
  return safe.reduce((sum, { steps }) => sum + steps.length, 0);
}

/** A copy in which a value that is secret by the name beside it is left out. */
function withoutNamedSecrets(flow: AuthorizationFlow): Record<string, unknown> {
  const visit = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(visit);
    if (!isObject(one)) return one;
    const copy = Object.fromEntries(Object.entries(one).map(([key, member]) => [key, visit(member)]));
    const { name, value } = one;
    const isSecret =
      typeof name === 'string' &&
      typeof value === 'string' &&
      value !== '' &&
      (isCredentialParameter(name) || isSecretHeader(name));
    return isSecret ? { ...copy, value: '(secret)' } : copy;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object stays an object
  return visit(flow) as Record<string, unknown>;
}
