import { goToEntry } from '#model/inbox.ts';
import type { Call, Progress } from '#shared/contract/calls.ts';
import { Button } from '#ui/button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { useNow } from '#ui/use-now.ts';

/** A call under way: how long, how far, and how to stop it. */
export function RunningCall({ call, onCancel }: { readonly call: Call; readonly onCancel: () => void }) {
  return (
    <div className="rounded-ui border border-line bg-raise px-2.5 py-2">
      <div className="flex items-center gap-2">
        <Elapsed since={call.startedAt} />
        <span className="mono text-mute">
          {call.progress === null ? 'no progress reported yet' : counted(call.progress)}
        </span>
        <Button size="small" className="ml-auto" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <Waiting call={call} />
      <ProgressBar progress={call.progress} />
      {call.progress !== null && call.progress.message !== null && (
        <PlainText text={call.progress.message} className="mt-1.5 text-mute" />
      )}
    </div>
  );
}

/** The server asked for something before it goes on. */
function Waiting({ call: { sessionId, waitsFor } }: { readonly call: Call }) {
  const [first] = waitsFor;
  if (first === undefined) return null;
  return (
    <p className="mt-1 text-warn">
      waits for your answer in the{' '}
      <button
        type="button"
        onClick={() => goToEntry(sessionId, first)}
        className="text-key underline underline-offset-2"
      >
        Inbox
      </button>
    </p>
  );
}

/** `3 / 10 · 3 progress` */
function counted({ progress, total, count }: Progress): string {
  return `${total === null ? progress : `${progress} / ${total}`} · ${count} progress`;
}

function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(100, true);
  return <span className="mono tabular-nums">{(Math.max(0, now - since) / 1000).toFixed(1)} s</span>;
}

function ProgressBar({ progress }: { readonly progress: Progress | null }) {
  const share =
    progress === null || progress.total === null || !(progress.total > 0)
      ? null
      : progress.progress / progress.total;
  const percent = share === null ? null : Math.min(100, Math.max(0, share * 100));
  return (
    <div
      role="progressbar"
      aria-label="Progress of the call"
      aria-valuenow={percent === null ? undefined : Math.round(percent)}
      aria-valuemin={0}
      aria-valuemax={100}
      className="mt-2 h-1 overflow-hidden rounded-full bg-line"
    >
      {percent === null ? (
        <div className="h-full w-1/4 animate-pulse rounded-full bg-accent motion-reduce:animate-none" />
      ) : (
        <div
          className="h-full rounded-full bg-accent transition-[width] duration-150"
          style={{ width: `${percent}%` }}
        />
      )}
    </div>
  );
}
