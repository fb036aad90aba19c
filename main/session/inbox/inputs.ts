import { inboxMethods } from '#shared/contract/inbox.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { memberText, memberTexts } from '#shared/json/members.ts';
import { withResolvers } from '#transports/async.ts';
import type { InboxQuestion, Inbox } from './inbox.ts';

/** The outcome of the input requests of a result: JSON text of `inputResponses`, or why there is none. */
export type Inputs =
  | { readonly type: 'given'; readonly responses: string; noteRow(row: number): void }
  /** The user answered one question with an error, which `inputResponses` cannot express. */
  | { readonly type: 'refused'; readonly key: string; readonly message: string }
  /** One question has a method that clients do not answer. */
  | { readonly type: 'unanswerable'; readonly key: string; readonly method: string }
  | { readonly type: 'withdrawn' }
  /** The session ended before the response. */
  | { readonly type: 'lost' };

export interface GatheredInputs {
  readonly inputs: Promise<Inputs>;
  withdraw(): void;
}

/**
 * Puts every question of `inputRequests` in the inbox, all at once, and gathers the answers (MCP 2026-07-28
 * multi-round-trip requests; tasks extension).
 *
 * @param inputRequests JSON text of the object
 */
export function gatherInputs(
  inbox: Inbox,
  inputRequests: string,
  { row, callId }: { readonly row: number; readonly callId: string | null },
): GatheredInputs {
  const requests: unknown = JSON.parse(inputRequests);
  const texts = memberTexts(inputRequests);
  const answers = new Map<string, string>();
  const asked: InboxQuestion[] = [];
  const { promise: inputs, resolve: settle } = withResolvers<Inputs>();
  const withdrawAll = () => asked.forEach((one) => one.withdraw());
  let isOver = false;
  const end = (result: Inputs) => {
    isOver = true;
    settle(result);
    withdrawAll();
  };
  const keys = isObject(requests) ? Object.keys(requests) : [];
  const finishWhenComplete = () => {
    if (answers.size < keys.length) return;
    // In the order in which they were asked.
    const members = keys.map((key) => `${JSON.stringify(key)}:${answers.get(key) ?? 'null'}`);
    settle({
      type: 'given',
      responses: `{${members.join(',')}}`,
      noteRow: (responseRow) => asked.forEach((one) => one.noteResponseRow(responseRow)),
    });
  };
  for (const key of keys) {
    // A rule may have rejected an earlier question already.
    if (isOver) break;
    const request = isObject(requests) ? requests[key] : undefined;
    const requested = isObject(request) ? request.method : undefined;
    const method = inboxMethods.find((one) => one === requested);
    if (method === undefined) {
      end({ type: 'unanswerable', key, method: String(requested) });
      break;
    }
    asked.push(
      inbox.add({
        method,
        params: memberText(texts.get(key) ?? '{}', ['params']) ?? '{}',
        by: 'input',
        key,
        row,
        callId,
        // The request that needs the input has its response already, so no timeout is running.
        pauses: [],
        deliver: (answer) => {
          if ('result' in answer) {
            answers.set(key, answer.result);
            finishWhenComplete();
          } else end({ type: 'refused', key, message: answer.error.message });
          return null;
        },
        lost: () => settle({ type: 'lost' }),
      }),
    );
  }
  if (keys.length === 0) finishWhenComplete();
  return {
    inputs,
    withdraw: () => end({ type: 'withdrawn' }),
  };
}
