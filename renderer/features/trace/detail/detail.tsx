import { X } from 'lucide-react';
import { type KeyboardEvent, type Ref, useMemo, useState, useEffect } from 'react';
import { on } from '#bridge';
import { create } from 'zustand';
import { useCommands } from '#model/commands.ts';
import { faultOf } from '#model/faults.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { useSignal, FrameSignal } from '#ui/frame-signal.ts';
import type { TraceView } from '../trace-view.ts';
import { DetailSource } from '#model/detail-source.ts';
import { keepChoice } from '#model/place.ts';
import { RowPanel, type TabId, tabIds } from './row-panel.tsx';

interface DetailChoices {
  /** The way to look at a row. One that a row lacks shows its default. */
  readonly tab: TabId;
  /** The half of each call in the view of calls; `own` before one is chosen. */
  readonly half: Half | 'own';
}

/** What was chosen in the detail, for all traces. */
export const useDetailChoices = create<DetailChoices>()(() => ({ tab: 'message', half: 'own' }));

keepChoice(useDetailChoices, {
  name: 'detail-tab',
  values: tabIds,
  get: ({ tab }) => tab,
  set: (tab) => ({ tab }),
});

keepChoice(useDetailChoices, {
  name: 'detail-half',
  values: ['own', 'request', 'response'],
  get: ({ half }) => half,
  set: (half) => ({ half }),
});

/** The detail of the selected row, or of the other half of its call. */
export function Detail({
  view,
  ref,
  onClose,
}: {
  readonly view: TraceView;
  readonly ref: Ref<HTMLElement>;
  readonly onClose: () => void;
}) {
  useSignal(view.signal);
  const tab = useDetailChoices((choices) => choices.tab);
  const [isFinding, setFinding] = useState(false);
  const [linked, setLinked] = useState<{ readonly row: number; readonly tab: TabId } | null>(null);
  const { half, setHalf } = useHalf(view);
  const selected = view.detail;
  const pair = selected.detail?.row.pair ?? null;
  const own = selected.detail && halfOf(selected.detail.row);
  const isOther = pair !== null && own !== null && half !== null && half !== own;
  const other = useOtherHalf(view.sessionId, isOther ? pair : null);
  // The current half stays until the other one has arrived.
  const source = isOther && (other.detail?.row.row === pair || other.error !== null) ? other : selected;
  const { detail, error } = source;
  // What a link showed ends with its row.
  if (linked !== null && detail && detail.row.row !== linked.row) setLinked(null);
  const chooseTab = (chosen: TabId) => {
    setLinked(null);
    useDetailChoices.setState({ tab: chosen });
  };
  const shownHalf = own !== null && pair !== null && detail ? halfOf(detail.row) : null;
  const flip = shownHalf === null ? null : () => setHalf(shownHalf === 'request' ? 'response' : 'request');
  const find = () => {
    chooseTab('message');
    setFinding(true);
  };
  useDetailCommands(flip !== null, () => flip?.(), find);

  const onKeyDown = (press: KeyboardEvent) => {
    if (press.key === 'Escape') {
      press.stopPropagation();
      onClose();
      return;
    }
    const key = keyOutsideFields(press);
    if (key === '/') find();
    else if (key === 'p' && flip !== null) flip();
    else return;
    press.preventDefault();
  };
  const close = (
    <IconButton label="Close the detail" shortcut="Escape" size="small" onClick={onClose}>
      <X aria-hidden className="size-3.5" />
    </IconButton>
  );
  return (
    <section
      ref={ref}
      aria-label={view.selected === null ? 'Row' : `Row ${rowNumber(view.selected)}`}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="flex min-h-0 flex-1 flex-col outline-none"
    >
      {error !== null ? (
        <FaultCard
          fault={faultOf(error)}
          actions={
            <>
              <Button onClick={() => source.retry()}>Try again</Button>
              <Button onClick={onClose}>Close</Button>
            </>
          }
          className="m-2"
        />
      ) : (
        detail && (
          <RowPanel
            key={detail.row.row}
            sessionId={view.sessionId}
            clock={view.clock}
            detail={detail}
            panel={{ tab: linked?.tab ?? tab, isFinding }}
            onTab={chooseTab}
            onLink={(shown) => setLinked({ row: detail.row.row, tab: shown })}
            onFind={setFinding}
            halfSwitch={shownHalf && <HalfSwitch half={shownHalf} onChange={setHalf} />}
            close={close}
          />
        )
      )}
    </section>
  );
}

/**
 * The half of a call to show. In the view of calls the choice holds for all of them; where each half has its own row,
 * only for the selected one.
 */
function useHalf({ viewName, selected }: TraceView) {
  const ofCalls = useDetailChoices(({ half }) => (half === 'own' ? null : half));
  const [chosen, setChosen] = useState<{ half: Half; row: number | null } | null>(null);
  const ofRow = chosen?.row === selected ? chosen.half : null;
  const setHalf = (half: Half) => {
    setChosen({ half, row: selected });
    if (viewName === 'calls') useDetailChoices.setState({ half });
  };
  return { half: viewName === 'calls' ? ofCalls : ofRow, setHalf };
}

function useDetailCommands(mayFlip: boolean, flip: () => void, find: () => void): void {
  useCommands(
    useMemo(
      () => [
        {
          id: 'trace.find-in-message',
          title: 'Find in the message of the selected row',
          group: 'Trace' as const,
          keywords: ['search'],
          run: find,
        },
        ...(mayFlip
          ? [
              {
                id: 'trace.other-half',
                title: 'Show the other half of the call in the detail',
                group: 'Trace' as const,
                keywords: ['request', 'response', 'answer'],
                run: flip,
              },
            ]
          : []),
      ],
      [mayFlip, flip, find],
    ),
  );
}

/** The key; null when it is typed into a field or pressed with modifiers. */
function keyOutsideFields({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): string | null {
  if (ctrlKey || metaKey || altKey) return null;
  const isField =
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]');
  return isField ? null : key;
}

type Half = 'request' | 'response';

/** Which half of a call a row is; null for other rows. */
function halfOf({ kind }: TraceRow): Half | null {
  if (kind === 'request') return 'request';
  return kind === 'result' || kind === 'error' ? 'response' : null;
}

/** Switches between the halves of a call without changing the selected row. */
function HalfSwitch({ half, onChange }: { readonly half: Half; readonly onChange: (half: Half) => void }) {
  return (
    <Segmented
      label="Half of the call (P)"
      value={half}
      onChange={onChange}
      options={[
        { id: 'request', label: 'Request' },
        { id: 'response', label: 'Response' },
      ]}
      className="h-[22px] font-sans"
    />
  );
}

/** The detail of the other half of a call. @param row null while the other half is not shown */
function useOtherHalf(sessionId: string, row: number | null): DetailSource {
  const signal = useMemo(() => new FrameSignal(), []);
  const source = useMemo(() => new DetailSource(sessionId, signal.notify), [sessionId, signal]);
  useSignal(signal);
  useEffect(() => {
    source.show(row);
  }, [source, row]);
  useEffect(() => {
    const stop = on('trace/grew', (change) => {
      if (change.sessionId === sessionId) source.outdate(change.changedFrom);
    });
    return () => {
      stop();
      source.close();
    };
  }, [source, sessionId]);
  return source;
}
