import { RefreshCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '#bridge';
import { useQuery } from '#model/use-query.ts';
import type { ClientLog } from '#shared/contract/servers.ts';
import { formatBytes } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The logs that other clients wrote on this machine; nothing without any. */
export function ClientLogs({
  shown,
  onChoose,
}: {
  readonly shown: string | null;
  readonly onChoose: (path: string) => void;
}) {
  const { result, fault } = useQuery('logs', () => call('servers/logs', {}));
  if (fault !== null) return <FaultCard fault={fault} />;
  if (result === null || result.length === 0) return null;
  return (
    <section aria-label="Logs of other clients">
      <h3 className="caption mb-1">Logs of other clients</h3>
      <ul>
        {result.map(({ path, label, server, size }) => (
          <li key={path}>
            <button
              type="button"
              aria-pressed={path === shown}
              title={visibleLine(path)}
              onClick={() => onChoose(path)}
              className={cx(
                'flex h-row w-full items-center gap-2 px-2 text-left',
                path === shown ? 'bg-hover shadow-[inset_2px_0_var(--accent)]' : 'hover:bg-hover',
              )}
            >
              <span className="shrink-0">{label}</span>
              <span className="min-w-0 flex-1 truncate text-mute">
                {server === null ? 'connections' : visibleLine(server)}
              </span>
              <span className="mono shrink-0 text-sm text-mute">{formatBytes(size)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The end of a log, with its newest lines in view. */
export function ClientLogText({ path }: { readonly path: string }) {
  const [attempt, setAttempt] = useState(0);
  const { latest, fault, isLoading } = useQuery(`${attempt} ${path}`, () => call('servers/log', { path }));
  return (
    <section aria-label="Log" aria-busy={isLoading} className="flex min-h-0 min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="caption">{latest === null ? 'Log' : titleOf(latest)}</h3>
        <Button
          size="small"
          className="ml-auto"
          icon={<RefreshCw aria-hidden className="size-3.5" />}
          disabled={isLoading}
          onClick={() => setAttempt(attempt + 1)}
        >
          Refresh
        </Button>
        <CopyButton text={path} label="Copy path" withWord />
      </div>
      {fault && <FaultCard fault={fault} />}
      {latest && fault === null && (
        <>
          <p className="text-sm text-mute">
            {latest.isWhole
              ? 'The whole file, with secrets replaced.'
              : `The last 200 kB of ${formatBytes(latest.size)}, with secrets replaced.`}
          </p>
          <LogEnd text={latest.text} />
        </>
      )}
    </section>
  );
}

const titleOf = ({ label, server }: ClientLog): string =>
  `${label} · ${server === null ? 'connections' : visibleLine(server)}`;

function LogEnd({ text }: { readonly text: string }) {
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [text]);
  if (text === '') return <p className="text-mute">The log is empty.</p>;
  return (
    <pre
      ref={box}
      // Scrollable by keyboard.
      tabIndex={0}
      aria-label="Text of the log"
      className="mono max-h-[60vh] overflow-auto rounded-sm border border-line bg-panel p-2 text-sm [overflow-wrap:anywhere] whitespace-pre-wrap"
    >
      <VisibleText text={text} />
    </pre>
  );
}
