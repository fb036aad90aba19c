import { Fragment } from 'react';
import { visibleLine } from '#ui/visible.ts';

/** A fingerprint as pairs of hex digits, with line breaks only between pairs. */
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
