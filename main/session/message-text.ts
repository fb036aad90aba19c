import type { Seen } from '#trace/row-index.ts';
import { elementTexts } from '#trace/raw-json.ts';

/** The text of one message as it was on the wire; of a batch, the message's own element. */
export function messageText(seen: Seen): string {
  const unit = seen.bytes.toString('utf8');
  return elementTexts(unit)[seen.position] ?? unit;
}
