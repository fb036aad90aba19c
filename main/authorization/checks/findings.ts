import {
  type AuthorizationRule,
  type AuthorizationRuleName,
  authorizationRules,
} from '#shared/authorization/rules.ts';
import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { truncate } from '#shared/format.ts';
import type { RawResponse } from '#authorization/exchange.ts';

/** What a check of one response found. */
export interface Checked<T> {
  /** What can be used of the response; null if nothing can. */
  readonly value: T | null;
  /** Every rule that the response breaks. */
  readonly findings: readonly AuthorizationFinding[];
  /** The finding for which the flow must not go on, unless the user wants to; null if it may. */
  readonly stop: AuthorizationFinding | null;
}

export interface FindingDetails {
  /** One sentence with the values; the text of the rule by default. */
  readonly text?: string;
  readonly expected?: string | null;
  readonly received?: string | null;
  /** A severity that replaces that of the rule, such as in an older revision. */
  readonly severity?: AuthorizationRule['severity'];
  readonly source?: string;
  readonly stops?: boolean;
}

/** Limit of characters of a text or value in a finding. */
const MAX_TEXT = 500;

/** Collects what is wrong with one response. */
export class Findings {
  readonly all: AuthorizationFinding[] = [];
  #stop: AuthorizationFinding | null = null;
  readonly #row: number | null;

  constructor({ row }: { readonly row: number | null }) {
    this.#row = row;
  }

  add(name: AuthorizationRuleName, details: FindingDetails = {}): void {
    const rule: AuthorizationRule = authorizationRules[name];
    const { text = rule.text, expected = null, received = null } = details;
    const finding: AuthorizationFinding = {
      rule: name,
      severity: details.severity ?? rule.severity,
      text: truncate(text, MAX_TEXT),
      source: details.source ?? rule.source,
      expected: expected === null ? null : truncate(expected, MAX_TEXT),
      received: received === null ? null : truncate(received, MAX_TEXT),
      row: this.#row,
      library: null,
    };
    this.all.push(finding);
    if (details.stops ?? rule.stops ?? false) this.#stop ??= finding;
  }

  /** The result of the check, with what can be used of the response. */
  checked<T>(value: T | null): Checked<T> {
    return { value, findings: this.all, stop: this.#stop };
  }
}

/** The values of a header, whatever its case, in their order. */
export const headerValues = ({ headers }: Pick<RawResponse, 'headers'>, name: string): string[] =>
  headers.flatMap(([own, value]) => (own.toLowerCase() === name ? [value] : []));

/** A value as it is shown in a finding: JSON for anything but a text. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');

/** What kind of JSON value it is, for one that may be a secret. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** What it means that a request got no response. */
export function checkNoResponse(fault: Fault, { row }: { readonly row: number | null }): Checked<null> {
  const found = new Findings({ row });
  found.add('no-response', { text: `There was no response: ${fault.what}` });
  return found.checked<null>(null);
}
