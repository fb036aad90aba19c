import { type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { changeMessage, type ComposerMessage } from '#model/composer.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { formatQuantity } from '#shared/format.ts';
import { bytesOfRawText, rawTextOf } from '#shared/raw-text.ts';
import type { EditorAssistant } from '#ui/json-editor/assistant.ts';
import { JsonEditor, type JsonEditorHandle } from '#ui/json-editor/json-editor.tsx';
import type { EditorMark } from '#ui/json-editor/monaco.ts';
import { Segmented } from '#ui/segmented.tsx';
import { TextField } from '#ui/field.tsx';
import { HeaderFields } from './header-fields.tsx';
import type { MessageCheck } from './message-check.ts';

export interface MessageEditorHandle {
  focus(): void;
  select(start: number, end: number): void;
}

type Part = 'body' | 'headers' | 'options';

/** One message: its text or bytes, the header lines of its request, its timeout. */
export function MessageEditor({
  session,
  message,
  check,
  assistant,
  onSubmit,
  ref,
}: {
  readonly session: SessionStatus;
  readonly message: ComposerMessage;
  readonly check: MessageCheck;
  readonly assistant: EditorAssistant;
  readonly onSubmit: () => void;
  readonly ref: Ref<MessageEditorHandle>;
}) {
  const { serverId } = session;
  const { id, text, isRaw } = message;
  const [chosen, choose] = useState<Part>('body');
  const editor = useRef<JsonEditorHandle>(null);
  const isHttp = session.transport !== 'stdio';
  const part = chosen === 'headers' && !isHttp ? 'body' : chosen;
  const wanted = useRef<readonly [number, number] | null>(null);
  useImperativeHandle(ref, () => ({
    focus: () => editor.current?.focus(),
    select: (start, end) => {
      if (part === 'body') editor.current?.select(start, end);
      else {
        wanted.current = [start, end];
        choose('body');
      }
    },
  }));
  useEffect(() => {
    if (part !== 'body' || wanted.current === null) return;
    const [start, end] = wanted.current;
    wanted.current = null;
    editor.current?.select(start, end);
  }, [part]);
  const marks = useMemo(
    () =>
      check.warnings.flatMap(({ severity, text: said, place }): EditorMark[] =>
        place === null ? [] : [{ severity, text: said, ...place }],
      ),
    [check.warnings],
  );
  const setRaw = (wantsRaw: boolean) => {
    // A raw text stands for bytes; as a message it is the text of those bytes.
    const bytes = wantsRaw ? new TextEncoder().encode(text) : bytesOfRawText(text);
    const converted = wantsRaw ? rawTextOf(bytes) : new TextDecoder().decode(bytes);
    changeMessage(serverId, id, { isRaw: wantsRaw, text: converted });
  };
  const parts: readonly { readonly id: Part; readonly label: string }[] = [
    { id: 'body', label: 'Body' },
    ...(isHttp ? [{ id: 'headers' as const, label: headersLabel(message) }] : []),
    { id: 'options', label: message.timeout.trim() === '' ? 'Options' : 'Options •' },
  ];
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-8 shrink-0 items-center gap-2 overflow-hidden border-b border-line px-3">
        <Segmented
          label="How the text is sent"
          value={isRaw ? 'raw' : 'message'}
          onChange={(kind) => setRaw(kind === 'raw')}
          options={[
            { id: 'message', label: 'Message' },
            { id: 'raw', label: 'Raw bytes' },
          ]}
        />
        <Segmented label="Part of the message" value={part} onChange={choose} options={parts} />
        {session.agreement !== null && (
          <span className="mono ml-auto truncate text-xs text-faint">{session.agreement.revision}</span>
        )}
      </div>
      {part === 'body' && (
        <>
          <div data-main className="min-h-12 flex-1">
            <JsonEditor
              key={`${id} ${isRaw}`}
              ref={editor}
              label={isRaw ? 'Raw bytes' : 'Message as JSON'}
              value={text}
              fills
              placeholder={
                isRaw
                  ? 'Bytes, sent as they are typed'
                  : 'A JSON-RPC message: type it here, or choose one of the templates above'
              }
              isPlain={isRaw}
              assistant={assistant}
              marks={marks}
              onChange={(typed) => changeMessage(serverId, id, { text: typed })}
              onSubmit={onSubmit}
            />
          </div>
          {isRaw && <RawNote text={text} isHttp={isHttp} />}
        </>
      )}
      {part === 'headers' && (
        <HeaderFields
          lines={check.headers ?? []}
          changes={message.headers}
          onChange={(headers) => changeMessage(serverId, id, { headers })}
        />
      )}
      {part === 'options' && (
        <div className="min-h-0 flex-1 overflow-auto p-3">
          <TextField
            label="Timeout"
            hint="milliseconds"
            note="A request without a response is cancelled after this time. Empty: it waits as long as the session."
            value={message.timeout}
            inputMode="numeric"
            error={/^\d{0,9}$/.test(message.timeout.trim()) ? undefined : 'A whole number of milliseconds'}
            onChange={(timeout) => changeMessage(serverId, id, { timeout })}
            mono
            className="max-w-64"
          />
        </div>
      )}
    </div>
  );
}

const headersLabel = ({ headers }: ComposerMessage): string =>
  headers.length === 0 ? 'Headers' : `Headers ${headers.length} changed`;

/** What the bytes are, and what ends them on the wire. */
function RawNote({ text, isHttp }: { readonly text: string; readonly isHttp: boolean }) {
  const bytes = useMemo(() => bytesOfRawText(text), [text]);
  const breaks = bytes.filter((byte) => byte === 0x0a).length;
  const facts = [
    formatQuantity(bytes.length, 'byte'),
    isHttp ? 'sent as the whole body of a POST' : 'a line feed is added, which ends the line',
    !isHttp && breaks > 0 && `the server reads ${breaks + 1} lines`,
    'a line break here is a line feed; \\xNN is any byte, such as \\x0d',
  ];
  return (
    <p role="note" className="shrink-0 border-t border-line bg-panel px-3 py-1 text-xs text-mute">
      {facts.filter(Boolean).join(' · ')}
    </p>
  );
}
