import { Fragment } from 'react';
import { visibleLine } from '#ui/visible.ts';

/** Pairs of hex digits; lines break between them, so that they can be compared. */
export function Fingerprint({ text }: { readonly text: string }) {
  return (
    <span className="mono">
      {visibleLine(text)
        .split(':')
        .map((pair, index) => (
          <Fragment key={index}>
            {index > 0 && (
              <>
                :<wbr />
              </>
            )}
            {pair}
          </Fragment>
        ))}
    </span>
  );
}
