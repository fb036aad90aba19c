import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { isNestedDeeper } from '#shared/json/tokens.ts';

export type JsonMembers = Readonly<Record<string, unknown>>;

/** Levels of JSON that are read of a response. */
const DEEPEST = 32;

/** The members of the JSON object that a step was answered with; null without one. Untrusted. */
export function membersOf({ response }: AuthorizationStep): JsonMembers | null {
  const body = response?.body ?? '';
  if (!body.trimStart().startsWith('{') || isNestedDeeper(body, DEEPEST)) return null;
  try {
    const value: unknown = JSON.parse(body);
    return isMembers(value) ? value : null;
  } catch {
    return null; // Not JSON, or cut.
  }
}

const isMembers = (value: unknown): value is JsonMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What the server said at a step, and what was found in it. The fault of a flow belongs to its last step that failed; a fault about
 * `state` or `iss` quotes nothing (MCP 2026-07-28 authorization response validation), so nothing of such a redirect is here.
 */
export function textsAt(flow: AuthorizationFlow, step: AuthorizationStep): string {
  const { response, findings } = step;
  const found = findings.flatMap(({ text, received }) => [text, received ?? '']);
  const fault = failedStep(flow)?.id === step.id ? flow.fault : null;
  return [response?.body ?? '', ...found, fault?.what ?? '', fault?.quote ?? '', fault?.evidence ?? ''].join(
    '\n',
  );
}

/** The step at which a flow failed; null if it did not. */
export const failedStep = ({ fault, steps }: AuthorizationFlow): AuthorizationStep | null =>
  fault === null ? null : (steps.findLast(({ state }) => state === 'failed') ?? null);
