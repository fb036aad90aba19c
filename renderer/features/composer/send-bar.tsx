import { useMemo } from 'react';
import {
  changeComposition,
  type ComposerMessage,
  type Composition,
  renewedIdsIn,
  type RenewedIds,
  type SendOrder,
} from '#model/composer.ts';
import { type ReadyMessage, sendMessages } from '#model/sent-messages.ts';
import { useCommands } from '#model/commands.ts';
import { useNotConnectedReason } from '#model/selection.ts';
import { isOpen, type SessionStatus } from '#model/sessions.ts';
import { truncate } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { Input, SelectBox } from '#ui/field.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';

const orders: readonly { readonly value: SendOrder; readonly label: string }[] = [
  { value: 'one-at-a-time', label: 'one at a time' },
  { value: 'at-once', label: 'at once' },
];

/** What can be sent now, each null if it cannot. */
export interface Sending {
  /** Sends the message in the editor. */
  readonly sendOne: (() => void) | null;
  readonly sendAll: (() => void) | null;
  /** Messages with a text. */
  readonly count: number;
  /** Whether the session takes messages. */
  readonly canSend: boolean;
}

/**
 * Sends the message in the editor, or all of them in one go.
 *
 * @param ready checks the messages, so that those with a warning are marked so
 */
export function useSending(
  session: SessionStatus,
  { messages, selected, order, pause }: Composition,
  ready: (ids: readonly number[]) => Promise<readonly ReadyMessage[]>,
): Sending {
  const canSend = isOpen(session) && session.phase !== 'connecting' && session.phase !== 'closing';
  const several = messages.filter(({ text }) => text.trim() !== '');
  const send = (ids: readonly number[], label: string) => {
    const perform = async () => {
      const prepared = await ready(ids);
      await sendMessages(session, prepared, { order, pause: pauseOf(pause), label });
    };
    reportFault(perform());
  };
  const isEmpty = !several.some(({ id }) => id === selected);
  return {
    canSend,
    count: several.length,
    sendOne: canSend && !isEmpty ? () => send([selected], 'Send') : null,
    sendAll:
      canSend && several.length > 1
        ? () =>
            send(
              several.map(({ id }) => id),
              labelOf(several.length, order, pauseOf(pause)),
            )
        : null,
  };
}

/** The buttons that send, and which id comes next. */
export function SendBar({
  session,
  composition: { order, pause },
  message,
  isWarned,
  sending: { sendOne, sendAll, count, canSend },
}: {
  readonly session: SessionStatus;
  readonly composition: Composition;
  /** The message in the editor. */
  readonly message: ComposerMessage;
  /** Whether it breaks a rule. */
  readonly isWarned: boolean;
  readonly sending: Sending;
}) {
  const reason = useNotConnectedReason('send it');
  const renewed = useMemo(() => renewedIdsIn(message, session.id), [message, session.id]);
  useCommands(
    useMemo(
      () => [
        ...(sendOne === null
          ? []
          : [
              {
                id: 'composer.send',
                title: isWarned ? 'Send the composed message anyway' : 'Send the composed message',
                group: 'Composer' as const,
                shortcut: 'Mod+Enter',
                within: composedMessage,
                run: sendOne,
              },
            ]),
        ...(sendAll === null
          ? []
          : [
              {
                id: 'composer.send-all',
                title: 'Send all composed messages',
                group: 'Composer' as const,
                shortcut: 'Mod+Shift+Enter',
                within: composedMessage,
                run: sendAll,
              },
            ]),
      ],
      [sendOne, sendAll, isWarned],
    ),
  );
  return (
    <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-1.5 gap-y-1 border-t border-line px-3 py-1.5">
      <Button variant="primary" shortcut="Mod+Enter" disabled={sendOne === null} onClick={() => sendOne?.()}>
        {isWarned ? 'Send anyway' : 'Send'}
      </Button>
      {count > 1 && (
        <>
          <Button disabled={sendAll === null} onClick={() => sendAll?.()}>
            Send all {count}
          </Button>
          <SelectBox
            aria-label="Order of the messages"
            value={order}
            options={orders}
            onChange={(chosen) => changeComposition(session.serverId, { order: chosen })}
            className="w-[124px]"
          />
          <span className="flex items-center gap-1.5 text-mute">
            pause
            <span className="w-14">
              <Input
                aria-label="Pause in milliseconds"
                value={pause}
                inputMode="numeric"
                aria-invalid={/^\d{0,6}$/.test(pause) ? undefined : true}
                onChange={({ target }) => changeComposition(session.serverId, { pause: target.value })}
                className="mono"
              />
            </span>
            ms
          </span>
        </>
      )}
      {!canSend && <span className="text-mute">{reason}</span>}
      {/* Of another message it is another status, so that choosing a tab does not announce it again. */}
      <span key={message.id} role="status" className="min-w-0 pl-1.5 text-mute">
        {renewed !== null && nextIdLabel(renewed)}
      </span>
    </div>
  );
}

/** Such as `Sent as id 6; the next one has id 7.` */
const nextIdLabel = ({ sent, next }: RenewedIds): string =>
  sent.length === 1
    ? `Sent as id ${idText(sent)}; the next one has id ${idText(next)}.`
    : `Sent as ids ${idText(sent)}; the next ones have ids ${idText(next)}.`;

const idText = (ids: readonly string[]): string => truncate(ids.map((id) => visibleLine(id)).join(', '), 40);

/** The message, its tabs and what sends it. */
const composedMessage = (): Element | null => document.getElementById('composed-message');

const pauseOf = (typed: string): number => (/^\d{1,6}$/.test(typed) ? Number(typed) : 0);

const labelOf = (count: number, order: SendOrder, pause: number): string =>
  [`Send all, ${count} messages`, order === 'at-once' && 'at once', pause > 0 && `${pause} ms apart`]
    .filter(Boolean)
    .join(', ');
