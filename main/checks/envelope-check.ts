// The JSON-RPC envelope of a message. What is wrong with it was found when it was parsed (`shared/protocol/jsonrpc.ts`); this
// names the rule that it breaks.
import { pointerOf } from '#shared/json/pointer.ts';
import { type EnvelopeDefect, envelopeDefects, isObject, MAX_EXTRA } from '#shared/protocol/jsonrpc.ts';
import type { NewFinding } from '#trace/findings.ts';
import { newFinding, type MessageRef, type Rule } from './rules.ts';

interface Broken {
  readonly rule: Rule;
  readonly pointer?: string;
  /** The text of the finding; the description of the defect by default. */
  readonly text?: string;
}

const byDefect: Readonly<Record<EnvelopeDefect, Broken>> = {
  'not-object': { rule: 'jsonrpc/invalid-envelope' },
  'wrong-version': { rule: 'jsonrpc/version', pointer: '/jsonrpc' },
  'bad-id': { rule: 'jsonrpc/id-type', pointer: '/id' },
  'bad-method': { rule: 'jsonrpc/invalid-envelope', pointer: '/method' },
  'bad-params': { rule: 'jsonrpc/params-not-object', pointer: '/params' },
  'result-and-error': { rule: 'jsonrpc/result-and-error' },
  'bad-error': { rule: 'jsonrpc/invalid-envelope', pointer: '/error' },
  'no-method-no-answer': { rule: 'jsonrpc/neither-result-nor-error' },
  'empty-batch': { rule: 'jsonrpc/batch-empty' },
  // Checked as what it is: a line, body or event that is no message.
  unreadable: { rule: 'jsonrpc/invalid-envelope' },
};

/** Reports an invalid JSON-RPC 2.0 message. @param read returns the value; undefined if it is too large */
export function checkDefect(defect: EnvelopeDefect, recorded: MessageRef, read: () => unknown): NewFinding {
  const { rule, pointer, text } = particular(defect, read) ?? byDefect[defect];
  const words = text ?? envelopeDefects[defect];
  return newFinding(rule, recorded, `No message: ${words}`, pointer === undefined ? {} : { pointer });
}

/** Some defects have several causes with a rule each. */
function particular(defect: EnvelopeDefect, read: () => unknown): Broken | null {
  if (defect !== 'bad-id' && defect !== 'bad-error') return null;
  const value = read();
  if (!isObject(value)) return null;
  return defect === 'bad-id' ? badId(value) : badError(value.error);
}

function badId(value: Record<string, unknown>): Broken | null {
  if (!Object.hasOwn(value, 'id')) {
    return { rule: 'jsonrpc/id-type', text: 'an answer without the "id" of its request' };
  }
  if (value.id !== null) return null;
  return { rule: 'jsonrpc/id-null', pointer: '/id', text: '"id" is null' };
}

function badError(error: unknown): Broken | null {
  if (!isObject(error)) return null;
  if (!Object.hasOwn(error, 'code')) {
    return { rule: 'jsonrpc/error-missing-code', pointer: '/error', text: '"error" has no "code"' };
  }
  if (!Number.isInteger(error.code)) {
    const text = '"code" of the error is not an integer';
    return { rule: 'jsonrpc/error-code-not-integer', pointer: '/error/code', text };
  }
  const text = '"message" of the error is missing or not a string';
  return { rule: 'jsonrpc/error-missing-message', pointer: '/error/message', text };
}

/**
 * Reports members that JSON-RPC does not define. No schema of MCP forbids them, but the official TypeScript SDK rejects
 * the whole message.
 */
export function checkExtra(extra: readonly string[], recorded: MessageRef): NewFinding {
  const names = extra.map((name) => JSON.stringify(name.slice(0, MAX_NAME))).join(', ');
  const all = extra.length === MAX_EXTRA ? `${names} and maybe more` : names;
  const text = `Members that JSON-RPC does not define: ${all}. Some clients refuse the whole message`;
  const [first = ''] = extra;
  return newFinding('jsonrpc/extra-member', recorded, text, { pointer: pointerOf([first]) });
}

/** Characters to quote from a member name. */
const MAX_NAME = 60;

/** A result must be an object (MCP 2025-06-18 basic, responses). */
export function checkResult(result: unknown, recorded: MessageRef): NewFinding | null {
  if (isObject(result)) return null;
  return newFinding('jsonrpc/result-not-object', recorded, '"result" is not an object', {
    pointer: '/result',
  });
}
