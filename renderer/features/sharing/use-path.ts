import { useCallback, useEffect, useState } from 'react';
import { call } from '#bridge';
import { type ExportFormat, exportFormats } from '#shared/contract/exports.ts';

/** Where an export goes: as suggested for its format until the user writes something else. */
export interface ExportPath {
  readonly path: string;
  readonly write: (path: string) => void;
  /** The file is there now: the next one needs another name. */
  readonly renew: () => void;
}

export function useExportPath(sessionId: string, format: ExportFormat): ExportPath {
  const [suggestion, setSuggestion] = useState('');
  const [written, setWritten] = useState<string | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isWanted = true;
    call('exports/suggest', { sessionId, format }).then(
      ({ path }) => isWanted && setSuggestion(path),
      // Without a suggestion the user types the path.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [sessionId, format, turn]);
  return {
    path: written === null ? suggestion : withEnding(written, format),
    write: setWritten,
    renew: useCallback(() => {
      setWritten(null);
      setTurn((now) => now + 1);
    }, []),
  };
}

/** The ending of another format gives way to that of this one. */
function withEnding(path: string, format: ExportFormat): string {
  const other = exportFormats.find((one) => one !== format && path.toLowerCase().endsWith(`.${one}`));
  return other === undefined ? path : `${path.slice(0, -other.length)}${format}`;
}
