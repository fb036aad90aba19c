import { useMemo } from 'react';
import type { RowDetail } from '#shared/contract/trace.ts';
import { wireBytesOf } from '#shared/trace/sse-frame.ts';
import type { UnitText } from './use-unit-text.ts';

/** Whether the event of a stream can be shown as it was written, from the data that `text` holds. */
const isFramed = ({ sse, row }: RowDetail): boolean =>
  // The frame is that of the whole unit, of which one message of a batch is but a part.
  sse !== null && sse.frame.length > 0 && sse.unframed === undefined && row.batch === 1;

/** The unit as it was on the wire: the data of an event together with the lines around it. */
export function useWireText(unit: UnitText, detail: RowDetail): UnitText {
  const { text, isCut } = unit;
  const frame = isFramed(detail) ? detail.sse?.frame : undefined;
  const wire = useMemo(() => (frame === undefined ? text : framed(text, isCut, frame)), [text, isCut, frame]);
  return { ...unit, text: wire };
}

function framed(text: string, isCut: boolean, frame: string[]): string {
  // Of data whose end is missing, only what stands before that end is known to be around it.
  const parts = isCut ? [...frame.slice(0, text.split('\n').length), ''] : frame;
  const bytes = wireBytesOf(new TextEncoder().encode(text), { frame: parts });
  return bytes === null ? text : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
