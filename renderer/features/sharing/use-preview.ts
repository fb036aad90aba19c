import { useEffect, useState } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/connection.ts';
import type { ExportFormat } from '#shared/contract/exports.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Params, Result } from '#shared/contract/index.ts';

export type ExportParams = Params<'exports/preview'>;

export interface Found extends Result<'exports/preview'> {
  readonly format: ExportFormat;
}

/** What an export would contain and leave out. */
export interface PreviewState {
  /** For the current params, or for the previous ones while `isLooking`. */
  readonly preview: Found | null;
  readonly fault: Fault | null;
  readonly isLooking: boolean;
}

/** Milliseconds without a change before the preview starts: it reads the whole trace. */
const SETTLED = 250;

/**
 * Previews an export whenever its params change; null while they are not valid.
 *
 * @param turn changes whenever the same params lead to another result
 */
export function usePreview(exportParams: ExportParams | null, turn: number | null | undefined): PreviewState {
  const paramsText = exportParams === null ? null : JSON.stringify(exportParams);
  const key = paramsText === null ? null : `${turn} ${paramsText}`;
  const [answer, setAnswer] = useState<Omit<PreviewState, 'isLooking'> & { readonly of: string | null }>({
    of: null,
    preview: null,
    fault: null,
  });
  useEffect(() => {
    if (paramsText === null) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      const params: ExportParams = JSON.parse(paramsText);
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
  }, [key, paramsText]);
  if (key === null) return { preview: null, fault: null, isLooking: false };
  return { preview: answer.preview, fault: answer.fault, isLooking: answer.of !== key };
}
