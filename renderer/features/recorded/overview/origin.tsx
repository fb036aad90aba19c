import { selectTraceRow } from '#model/selection.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { formatBytes, formatUptime } from '#shared/format.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { type Fact, Facts } from '#ui/facts.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { visibleLine } from '#ui/visible.ts';
import { useEnding } from '../use-ending.ts';
import { fullTime } from '../words.ts';

/** What was connected to, when, for how long, and where that is kept. */
export function Origin({ trace }: { readonly trace: OpenedTrace }) {
  const { header, path, size, isGrowing } = trace;
  const ending = useEnding(trace);
  return (
    <section aria-label="What was recorded">
      <Facts
        facts={[
          { name: 'Server', value: visibleLine(header.server.name) },
          targetFact(header.server),
          { name: 'Recorded', value: fullTime(Date.parse(header.createdAt)) },
          ending && {
            name: isGrowing ? 'So far' : 'Lasted',
            value: <span className="mono">{formatUptime(ending.lasted / 1000)}</span>,
          },
          {
            name: 'Ended',
            value: <End trace={trace} ending={ending} />,
          },
          {
            name: 'Written by',
            value: (
              <span className="mono">
                {visibleLine(header.app.name)}{' '}
                <span className="text-mute">{visibleLine(header.app.version)}</span>
              </span>
            ),
          },
          {
            name: 'File',
            value: (
              <>
                <PlainText text={path} inline className="mono" />
                <CopyButton text={path} label="Copy the path" className="-my-1 ml-1 align-middle" />
              </>
            ),
          },
          { name: 'Size', value: <span className="mono">{formatBytes(size)}</span> },
        ]}
      />
    </section>
  );
}

function targetFact(server: OpenedTrace['header']['server']): Fact {
  if (server.transport === 'http') {
    return { name: 'URL', value: <PlainText text={server.url} inline className="mono" /> };
  }
  const command = [server.command, ...server.args].map(quoted).join(' ');
  return { name: 'Command', value: <PlainText text={command} inline className="mono" /> };
}

/** As in a terminal, so that it can be seen where an argument ends. */
const quoted = (arg: string): string => (/^[\w./:=@%+,-]+$/.test(arg) ? arg : `'${arg}'`);

function End({
  trace: { sessionId, isRead, isGrowing },
  ending,
}: {
  readonly trace: OpenedTrace;
  readonly ending: ReturnType<typeof useEnding>;
}) {
  if (!isRead || ending === null) return <span className="text-mute">not read yet</span>;
  const { last } = ending;
  if (last === null || (last.phase !== 'closed' && last.phase !== 'failed')) {
    return isGrowing ? (
      'not yet: the file still grows'
    ) : (
      <span className="text-warn">no end is on record: the recording broke off</span>
    );
  }
  return (
    <>
      <span className={last.phase === 'failed' ? 'text-err' : undefined}>{last.phase}</span>
      {last.reason !== null && (
        <>
          <span className="text-mute">: </span>
          <PlainText text={last.reason} inline />
        </>
      )}{' '}
      <RowLink row={last.row} onOpen={() => selectTraceRow(sessionId, last.row)} />
    </>
  );
}
