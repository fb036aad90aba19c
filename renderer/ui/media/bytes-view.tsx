import { useMemo } from 'react';
import { CopyButton } from '#ui/copy-button.tsx';
import { formatBytes } from '#shared/format.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { base64Size, base64Text, firstBytes, hexDump } from './media.ts';

/** Bytes of a hex dump that are laid out. */
const SHOWN = 1024;

/** Base64 for a reader: as text when its bytes are, else as a hex dump, else as it is. */
export function BytesView({ data }: { readonly data: string }) {
  const size = base64Size(data);
  const text = useMemo(() => (size === null || size > 1_000_000 ? null : base64Text(data)), [data, size]);
  return (
    <div className="relative">
      <CopyButton text={data} label="Copy the base64" className="absolute top-0 right-0" />
      {size === null || text !== null ? (
        <PlainText text={text ?? data} className="mono pr-6" />
      ) : (
        <>
          <pre className="mono overflow-x-auto pr-6">{hexDump(firstBytes(data, SHOWN))}</pre>
          {size > SHOWN && (
            <p className="mt-1 text-xs text-faint">
              The first {formatBytes(SHOWN)} of {formatBytes(size)}; the trace has all of them.
            </p>
          )}
        </>
      )}
    </div>
  );
}
