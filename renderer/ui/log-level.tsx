import { useState } from 'react';
import type { Fault } from '#shared/contract/fault.ts';
import { logLevels } from '#shared/protocol/log-levels.ts';
import { Button } from './button.tsx';
import { SelectBox } from './field.tsx';
import { VisibleText } from './plain-text.tsx';

const NONE = '';

/** Selects the minimum severity of log messages requested from a server. */
export function LogLevel({
  level,
  isPerRequest,
  isOffered,
  set,
  isSetting,
  fault,
}: {
  /** Null if none is set. */
  readonly level: string | null;
  /** Whether each request carries the level, so that it can be unset. */
  readonly isPerRequest: boolean;
  /** Whether the server declared logging, or need not declare it. */
  readonly isOffered: boolean;
  readonly set: (level: string | null) => Promise<void>;
  readonly isSetting: boolean;
  readonly fault: Fault | null;
}) {
  const [isForced, setForced] = useState(false);
  if (!isOffered && !isForced && level === null) {
    return (
      <span className="flex items-center gap-2 text-mute">
        logging is not declared
        <Button variant="quiet" size="small" onClick={() => setForced(true)}>
          Set one anyway
        </Button>
      </span>
    );
  }
  const none = isPerRequest ? 'none' : level === null ? 'not set' : null;
  return (
    <div className="flex flex-wrap items-center gap-x-2 py-px">
      <SelectBox
        aria-label="Log level"
        size="small"
        className="w-28"
        disabled={isSetting}
        value={level ?? NONE}
        options={[
          ...(none === null ? [] : [{ value: NONE, label: none }]),
          ...logLevels.map((one) => ({ value: one, label: one })),
        ]}
        onChange={(chosen) => void set(chosen === NONE ? null : chosen)}
      />
      <span className="text-xs text-faint">
        {isPerRequest ? 'sent with each request' : 'set by logging/setLevel'}
      </span>
      {fault !== null && (
        <span role="alert" className="basis-full text-err">
          <VisibleText text={fault.what} />
        </span>
      )}
    </div>
  );
}
