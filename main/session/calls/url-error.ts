import { errorCodes } from '#shared/protocol/error-codes.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { elementTexts, memberText, messageTextOf } from '#trace/units/raw-json.ts';
import type { Inbox } from '#session/inbox/inbox.ts';
import type { Outcome } from '#session/rpc/outcome.ts';

/**
 * An error may say that the user has to go somewhere before the request is repeated (-32042, MCP 2025-11-25
 * elicitation): each address goes to the inbox. There is nothing to answer; the request is repeated by hand.
 */
export function askUrls(
  inbox: Inbox,
  { error, recorded }: Outcome & { type: 'error' },
  callId: string,
): void {
  if (error.code !== errorCodes.urlElicitationRequired || !isObject(error.data)) return;
  const message = messageTextOf(recorded);
  const texts = elementTexts(memberText(message, ['error', 'data', 'elicitations']) ?? '');
  for (const text of texts.filter((one) => one.startsWith('{'))) {
    inbox.ask({
      method: 'elicitation/create',
      params: text,
      by: 'error',
      key: null,
      row: recorded.row,
      callId,
      pauses: [],
      deliver: () => null,
    });
  }
}
