import type { Channel } from '#shared/trace/record.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { statusName } from './http-status.ts';
import { toneClasses } from './row-tones.ts';
import { isCarried, statusTone } from './row-words.ts';

const channelHints: Readonly<Record<Channel, string>> = {
  stdin: 'Standard input of the server',
  stdout: 'Standard output of the server',
  http: 'Body of an HTTP request or response',
  sse: 'Event of a stream',
};

/** Where a row was seen, and what HTTP carried it: `sse #12 200`. */
export function Transport({
  row,
  carrier,
}: {
  readonly row: TraceRow;
  /** The exchange that carried it, once it is known. */
  readonly carrier: TraceRow | undefined;
}) {
  const { channel } = row;
  const exchange = isCarried(row) ? row.exchange : null;
  if (channel === null && exchange === null) return null;
  const code = carrier?.code ?? null;
  const hints = [
    channel !== null && channelHints[channel],
    exchange !== null && `HTTP exchange ${rowNumber(exchange)}`,
    code !== null && `${code} ${statusName(code)}`,
  ].filter(Boolean);
  return (
    <span title={hints.join(', ')}>
      {channel}
      {exchange !== null && <span className="text-faint"> {rowNumber(exchange)}</span>}
      {code !== null && <span className={toneClasses[statusTone(code)]}> {code}</span>}
    </span>
  );
}
