import type { Call } from '#shared/contract/calls.ts';
import type { NegativeOutcome } from '#shared/contract/negative-inputs.ts';
import { truncate } from '#shared/format.ts';
import { parsePath, textAtPath } from '#shared/json/path.ts';
import { errorCodeName } from '#shared/protocol/jsonrpc.ts';
import type { Expectation } from './make-inputs.ts';

type Assessment = Pick<NegativeOutcome, 'assessment' | 'got'>;

/** Limit of characters of what came. */
const MAX_TEXT = 300;

/** The first line of the password file of Unix systems, as text or at the beginning of a blob (base64 of `root:`). */
const systemFile = /root:[^:\s]*:0:0:|"blob"\s*:\s*"cm9vdD/;

/**
 * Compares the response to a negative input with what the specification expects.
 *
 * @param result JSON text; null if the response was no result
 */
export function assessResponse(expectation: Expectation, call: Call, result: string | null): Assessment {
  const got = describeResponse(call, result);
  switch (call.state) {
    case 'timed-out':
      return { assessment: 'failed', got: 'no response in time' };
    case 'lost':
      return { assessment: 'failed', got };
    case 'waiting':
    case 'running':
    case 'cancelled':
      return { assessment: 'unknown', got };
    case 'protocol-error':
      // The response was neither a result nor an error.
      if (call.error === null) return { assessment: 'failed', got };
      return { assessment: isExpectedCode(expectation, call.error.code) ? 'passed' : 'warning', got };
    case 'tool-error':
      if (expectation.kind === 'error') return { assessment: 'warning', got };
      return { assessment: leaks(expectation, result) ? 'failed' : 'passed', got };
    case 'ok': {
      const isRequired = expectation.kind === 'error' || expectation.kind === 'rejection';
      return { assessment: isRequired || leaks(expectation, result) ? 'failed' : 'passed', got };
    }
  }
}

/** A server that survives may use any code, but an internal error is a fault of the server. */
const isExpectedCode = (expectation: Expectation, code: number): boolean =>
  'code' in expectation ? code === expectation.code : code !== -32603;

const leaks = ({ kind }: Expectation, result: string | null): boolean =>
  kind === 'no-leak' && result !== null && systemFile.test(result);

function describeResponse({ state, error, fault, inboxEntryIds }: Call, result: string | null): string {
  if (error !== null) {
    return truncate(`error ${error.code} (${errorCodeName(error.code)}): ${error.message}`, MAX_TEXT);
  }
  if (fault !== null) return truncate(fault.what, MAX_TEXT);
  if (state === 'tool-error') return truncate(`a result with isError: ${textOf(result)}`, MAX_TEXT);
  if (state === 'ok') return truncate(`accepted: ${textOf(result)}`, MAX_TEXT);
  return inboxEntryIds.length > 0 ? 'it waits for an answer in the Inbox' : 'no response';
}

const firstText = parsePath('$.content[0].text') ?? [];

/** The first text of a result; the whole result if it has none. */
function textOf(result: string | null): string {
  if (result === null) return '';
  const text: unknown = JSON.parse(textAtPath(result, firstText) ?? 'null');
  return typeof text === 'string' ? text : result;
}
