import { elementTexts } from '#shared/json/members.ts';
import { type Envelope, idText } from '#shared/protocol/jsonrpc.ts';
import { MAX_IN_BATCH } from '#shared/trace/row.ts';

/** The text of one message of a unit: the element of a batch at that position, or the unit itself. */
export const messageTextIn = (unit: string, position: number): string =>
  elementTexts(unit, position + 1)[position] ?? unit;

/** The messages of the batches that are held at the moment: cut once, not once for each message. */
const batches = new WeakMap<Buffer, readonly string[]>();

/** A message and the unit it came in. */
interface CarriedMessage {
  readonly bytes: Buffer;
  readonly position: number;
  /** The parsed part of a truncated unit. */
  readonly envelope?: Envelope;
  readonly isTruncated?: true;
}

/** The text of one message as written; for a truncated unit, the known part. */
export function messageTextOf({ bytes, position, envelope, isTruncated }: CarriedMessage): string {
  if (isTruncated && envelope !== undefined) return knownText(envelope);
  const known = batches.get(bytes);
  const text = known === undefined ? bytes.toString('utf8') : '';
  const elements = known ?? elementTexts(text, MAX_IN_BATCH);
  if (known === undefined && elements.length > 1) batches.set(bytes, elements);
  return elements[position] ?? text;
}

function knownText(envelope: Envelope): string {
  if ('fault' in envelope) return '';
  const { type: _, ...members } = envelope.message;
  const texts = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${JSON.stringify(key)}:${typeof value === 'bigint' ? idText(value) : JSON.stringify(value)}`,
    );
  return `{"jsonrpc":"2.0",${texts.join(',')}}`;
}
