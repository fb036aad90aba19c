import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Checked } from './checks/findings.ts';
import { askLibrary, type LibraryQuestion, withLibrary } from './checks/library.ts';
import type { RawResponse } from './exchange.ts';
import type { Conclusion } from './flow-types.ts';

/** The conclusion with everything that is wrong with the response, in the words of the table of rules. */
export async function withFindings<T>(
  conclusion: Conclusion,
  checked: Checked<T>,
  asked: { readonly response: RawResponse; readonly question: LibraryQuestion } | null = null,
): Promise<Conclusion> {
  const { findings, stop } = asked === null ? checked : await besideLibrary(checked, asked);
  return {
    ...conclusion,
    findings: [...(conclusion.findings ?? []), ...findings],
    fault: stop === null ? (conclusion.fault ?? null) : faultOfFinding(stop, conclusion.fault ?? null),
  };
}

/** What was found in a response, beside what the library says of it. */
export async function besideLibrary<T>(
  checked: Checked<T>,
  { response, question }: { readonly response: RawResponse; readonly question: LibraryQuestion },
): Promise<Checked<T>> {
  return withLibrary(checked, { library: await askLibrary(response, question), row: response.row });
}

/** A finding for which the flow does not go on. @param own what the step says about it */
function faultOfFinding(
  { rule, text, source, expected, received }: AuthorizationFinding,
  own: Fault | null,
): Fault {
  const values = [
    expected === null ? '' : `expected: ${expected}`,
    received === null ? '' : `received: ${received}`,
  ].filter((line) => line !== '');
  return {
    code: rule,
    what: text,
    why: `${source}.`,
    ...(own?.quote !== undefined && { quote: own.quote }),
    ...(own?.next !== undefined && { next: own.next }),
    ...(values.length > 0 && { evidence: values.join('\n') }),
  };
}
