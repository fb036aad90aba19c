import type { Call, Validation } from '#shared/contract/calls.ts';
import type { PromptList, ResourceList, TemplateList, ToolList } from '#shared/contract/catalog.ts';
import type { Redacted } from '#shared/contract/redacted.ts';

interface CallOptions {
  /** Milliseconds; null for the server's setting. */
  readonly timeout: number | null;
}

/** What tests need of a session that is ready. */
export interface TestedSession {
  readonly tools: ToolList;
  readonly resources: ResourceList;
  readonly templates: TemplateList;
  readonly prompts: PromptList;
  readonly calls: {
    startTool(tool: string, args: string, options: CallOptions): Call;
    startRequest(method: string, params: string | null, options: CallOptions): Call;
    /** Sends a request; resolves with its call once that has ended. */
    runRequest(method: string, params: string | null, options: CallOptions): Promise<Call>;
    /** Resolves with the call once it has ended. */
    ended(callId: string): Promise<Call>;
    cancel(callId: string, reason: string | undefined): void;
    result(callId: string, from: number): Promise<{ text: string | null; truncated: boolean }>;
  };
  /** The capabilities of the server; null if they are unknown. */
  readonly serverCapabilities: Readonly<Record<string, unknown>> | null;
  /** Whether it speaks a revision of the modern era (2026-07-28 on). */
  readonly isModern: boolean;
  redacted<T>(value: T): Redacted<T>;
  /** Replaces this value in the trace from now on, and wherever else secrets are replaced. */
  readonly hideSecret: (kind: string, value: string) => void;
}

/** How a step ended, as far as it is compared. */
export type EndedStep = Pick<
  Call,
  | 'tool'
  | 'state'
  | 'error'
  | 'fault'
  | 'duration'
  | 'outputValidation'
  | 'requestRow'
  | 'responseRow'
  | 'rounds'
>;

/** Validates a value against a JSON Schema; both are JSON text. */
export type Validate = (schema: string, value: string) => Validation;

/** Whether a regular expression with the flag `u` matches a text; null if that takes too long. */
export type MatchesPattern = (pattern: string, text: string) => boolean | null;

/** The whole result of a call as JSON text; null if there is none. */
export async function wholeResult({ calls }: TestedSession, callId: string): Promise<string | null> {
  let whole = '';
  for (;;) {
    const { text, truncated } = await calls.result(callId, whole.length);
    if (text === null && whole === '') return null;
    whole += text ?? '';
    if (!truncated) return whole;
  }
}
