import { useEffect, useState } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/connection.ts';
import type { ExportFormat } from '#shared/contract/exports.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Params, Result } from '#shared/contract/index.ts';

export type Wishes = Params<'exports/preview'>;

export interface Found extends Result<'exports/preview'> {
  readonly format: ExportFormat;
}

/** What an export would hold and leave out. */
export interface PreviewState {
  /** Of the wishes as they are, or as they were before while `isLooking`. */
  readonly preview: Found | null;
  readonly fault: Fault | null;
  readonly isLooking: boolean;
}

/** Milliseconds without a further change after which it is looked: that goes through the whole trace. */
const SETTLED = 250;

/**
 * Follows the wishes; null while they cannot be fulfilled, of which nothing is shown.
 *
 * @param turn another one when the same wishes lead to something else
 */
export function usePreview(wishes: Wishes | null, turn: number | null | undefined): PreviewState {
  const wish = wishes === null ? null : JSON.stringify(wishes);
  const key = wish === null ? null : `${turn} ${wish}`;
  const [answer, setAnswer] = useState<Omit<PreviewState, 'isLooking'> & { readonly of: string | null }>({
    of: null,
    preview: null,
    fault: null,
  });
  useEffect(() => {
    if (wish === null) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      const params: Wishes = JSON.parse(wish);
      call('exports/preview', params).then(
        (found) =>
          isWanted && setAnswer({ of: key, preview: { ...found, format: params.format }, fault: null }),
        (error: unknown) => isWanted && setAnswer({ of: key, preview: null, fault: faultOf(error) }),
      );
    }, SETTLED);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, wish]);
  if (key === null) return { preview: null, fault: null, isLooking: false };
  return { preview: answer.preview, fault: answer.fault, isLooking: answer.of !== key };
}
