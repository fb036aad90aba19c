import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import { isOpen, useSessions } from '#model/sessions.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useQuery } from '#model/use-query.ts';
import type { Traffic as Counted } from '#shared/contract/trace.ts';
import { formatBytes, formatCount } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import { Facts } from '#ui/facts.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { useNow } from '#ui/use-now.ts';
import { visibleLine } from '#ui/visible.ts';

/** The bytes that crossed, and over HTTP the statuses that each method got; counted again at most once a second. */
export function Traffic({ session }: { readonly session: SessionStatus }) {
  const { id, phase } = session;
  useNow(1000, isOpen(session));
  const { latest } = useQuery(`${id} ${phase} ${rowsOf(id)}`, () => call('trace/traffic', { sessionId: id }));
  if (latest === null) return null;
  return (
    <section aria-label="Traffic">
      <h3 className="caption mb-1">Traffic</h3>
      <Facts
        facts={[
          { name: 'Sent', value: <Bytes count={latest.bytesOut} /> },
          { name: 'Received', value: <Bytes count={latest.bytesIn} /> },
        ]}
      />
      {latest.statuses.length > 0 && <Statuses sessionId={id} statuses={latest.statuses} />}
    </section>
  );
}

/** How many rows a session has now; read at intervals, because it changes with every message. */
const rowsOf = (sessionId: string): number => useSessions.getState().sessions[sessionId]?.counts.rows ?? 0;

const Bytes = ({ count }: { readonly count: number }) => (
  <span title={`${formatCount(count)} bytes`}>
    <span className="mono">{formatBytes(count)}</span> <span className="text-mute">of messages</span>
  </span>
);

function Statuses({
  sessionId,
  statuses,
}: {
  readonly sessionId: string;
  readonly statuses: Counted['statuses'];
}) {
  return (
    <table aria-label="HTTP statuses" className="mt-1 border-collapse text-left">
      <thead>
        <tr className="h-row border-b border-line text-xs text-faint">
          <th className="w-20 font-normal">method</th>
          <th className="w-28 font-normal">status</th>
          <th className="w-16 pr-4 text-right font-normal">times</th>
          <th className="w-16 font-normal">newest</th>
        </tr>
      </thead>
      <tbody>
        {statuses.map(({ method, status, count, row }) => (
          <tr key={`${method} ${status}`} className="h-row leading-6 hover:bg-hover">
            <td className="mono">{visibleLine(method)}</td>
            <td className={cx('mono', status === null ? 'text-mute' : status >= 400 && 'text-err')}>
              {status ?? 'none'}
            </td>
            <td className="mono pr-4 text-right">{formatCount(count)}</td>
            <td>
              <RowLink row={row} onOpen={() => selectTraceRow(sessionId, row)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
