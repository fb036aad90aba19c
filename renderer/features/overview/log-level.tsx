import { useState } from 'react';
import { call } from '#bridge';
import { faultOf } from '#model/connection.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Agreement, SessionView } from '#shared/contract/sessions.ts';
import { Button } from '#ui/button.tsx';
import { SelectBox } from '#ui/field.tsx';
import { VisibleText } from '#ui/plain-text.tsx';

/** RFC 5424 section 6.2.1, as MCP logging names them, the chattiest first. */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

const NONE = '';

/** From which severity on the server is asked to send its logs. */
export function LogLevel({
  session,
  agreement,
}: {
  readonly session: SessionView;
  readonly agreement: Agreement;
}) {
  const isModern = agreement.era === 'modern';
  const isOffered = isModern || agreement.serverCapabilities?.logging !== undefined;
  const [isForced, setForced] = useState(false);
  const [isSending, setSending] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const { id: sessionId, logLevel } = session;

  const set = async (level: string | null) => {
    setSending(true);
    setFault(null);
    try {
      await call('sessions/set-log-level', { sessionId, level });
    } catch (error) {
      setFault(faultOf(error));
    }
    setSending(false);
  };

  if (!isOffered && !isForced && logLevel === null) {
    return (
      <span className="flex items-center gap-2 text-mute">
        logging was not announced
        <Button variant="quiet" size="small" onClick={() => setForced(true)}>
          Set one anyway
        </Button>
      </span>
    );
  }
  // Without a handshake the server logs what each request asks for; before it, there is no way back to nothing.
  const none = isModern ? 'none' : logLevel === null ? 'not set' : null;
  return (
    <div className="flex flex-wrap items-center gap-x-2 py-px">
      <SelectBox
        aria-label="Log level"
        size="small"
        className="w-28"
        disabled={isSending}
        value={logLevel ?? NONE}
        options={[
          ...(none === null ? [] : [{ value: NONE, label: none }]),
          ...levels.map((level) => ({ value: level, label: level })),
        ]}
        onChange={(level) => void set(level === NONE ? null : level)}
      />
      <span className="text-xs text-faint">
        {isModern ? 'goes with each request' : 'set by logging/setLevel'}
      </span>
      {fault !== null && (
        <span role="alert" className="basis-full text-err">
          <VisibleText text={fault.what} />
        </span>
      )}
    </div>
  );
}
