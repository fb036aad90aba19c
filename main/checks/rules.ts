import type { Direction } from '#shared/trace/record.ts';
import type { FindingSeverity } from '#shared/trace/row.ts';
import type { NewFinding } from '#trace/findings.ts';

/**
 * Every rule for recorded messages, by its stable name (`group/name`), and how bad it is to break it: `error` for what
 * a revision forbids, `warning` for what it advises against or what other clients may fail on, `info` for what is legal
 * but surprising. The rules `meta/…` are in `meta-keys.ts`: they only check what the user composes.
 */
export const rules = {
  'jsonrpc/invalid-envelope': 'error',
  'jsonrpc/version': 'error',
  'jsonrpc/id-type': 'error',
  'jsonrpc/id-null': 'error',
  'jsonrpc/id-reused': 'error',
  'jsonrpc/id-too-large': 'info',
  'jsonrpc/params-not-object': 'error',
  'jsonrpc/result-and-error': 'error',
  'jsonrpc/neither-result-nor-error': 'error',
  'jsonrpc/result-not-object': 'error',
  'jsonrpc/error-missing-code': 'error',
  'jsonrpc/error-missing-message': 'error',
  'jsonrpc/error-code-not-integer': 'error',
  'jsonrpc/notification-with-id': 'error',
  'jsonrpc/unknown-response-id': 'error',
  'jsonrpc/duplicate-response': 'error',
  'jsonrpc/response-id-type-changed': 'error',
  'jsonrpc/response-to-notification': 'error',
  'jsonrpc/late-response': 'info',
  'jsonrpc/error-without-id': 'warning',
  'jsonrpc/extra-member': 'info',
  'jsonrpc/duplicate-key': 'info',
  'jsonrpc/batch-empty': 'error',
  'jsonrpc/batch-in-2024-11-05': 'warning',
  'jsonrpc/batch-in-unsupported-revision': 'error',
  'stdio/non-mcp-stdout': 'error',
  'stdio/embedded-newline': 'error',
  'stdio/several-on-a-line': 'error',
  'stdio/blank-line': 'info',
  'stdio/unterminated-last-line': 'warning',
  'http/json-reply-not-object': 'error',
  'http/202-for-request': 'error',
  'http/empty-response-to-request': 'error',
  'http/wrong-content-type': 'error',
  'http/header-hides-content': 'warning',
  'sse/data-not-json': 'error',
  'sse/closed-without-response': 'warning',
  'sse/unknown-event-type': 'warning',
  'sse/event-id': 'info',
  'sse/retry': 'info',
  'transport/cut': 'warning',
  'transport/invalid-utf8': 'error',
  'transport/bom': 'warning',
  'transport/message-too-large': 'warning',
  'schema/invalid': 'error',
  'version/message-not-in-negotiated-revision': 'error',
  'version/unknown': 'warning',
  'capability/unknown-server-method': 'warning',
  'capability/logging-not-declared': 'error',
  'capability/declared-but-not-found': 'warning',
  'capability/wrong-type': 'error',
  'progress/unknown-token': 'error',
  'progress/after-completion': 'error',
  'progress/after-cancel': 'info',
  /** One of our own checks failed. */
  'check/failed': 'info',
} as const satisfies Readonly<Record<`${string}/${string}`, FindingSeverity>>;

export type Rule = keyof typeof rules;

/** Where a rule is broken: the row of a message or exchange, and who sent it. */
export interface MessageRef {
  readonly row: number;
  readonly direction: Direction;
}

/** Optional parts of a finding. */
interface Particulars {
  readonly pointer?: string;
  readonly revision?: string;
  /** A further row that the finding refers to. */
  readonly other?: number | null;
}

/** Creates a finding. @param text one sentence without its full stop */
export function newFinding(
  rule: Rule,
  { row, direction }: MessageRef,
  text: string,
  { pointer, revision, other }: Particulars = {},
): NewFinding {
  const violation = {
    rule,
    severity: rules[rule],
    // `envelope` is the source of all rules that are not about the schema.
    source: rule.startsWith('schema/') ? ('schema' as const) : ('envelope' as const),
    // A failed check is not the sender's fault.
    text: direction === 'out' && rule !== 'check/failed' ? `Sent by us: ${text}` : text,
    pointer: pointer ?? null,
    revision: revision ?? null,
  };
  return { violation, row, other: other ?? null };
}
