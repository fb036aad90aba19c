import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { cx } from '../cx.ts';
import { matchesShortcut } from '../shortcut.ts';
import type { EditorAssistant } from './assistant.ts';
import type { EditorMark, MountedEditor } from './monaco.ts';

export interface JsonEditorHandle {
  focus(): void;
  /** Selects a part of the text and scrolls to it. */
  select(start: number, end: number): void;
}

interface JsonEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  /** The schema for validation and suggestions. Its references are never fetched. */
  readonly schema?: object | undefined;
  /** Ctrl/Cmd+Enter. */
  readonly onSubmit?: (() => void) | undefined;
  /** Pixels; the editor grows with its text up to here. */
  readonly maxHeight?: number;
  /** Whether the editor fills its parent and has line numbers, instead of growing with its text. */
  readonly fills?: boolean;
  /** Whether the text is plain, not JSON, so that the editor changes nothing while the user types. Read only on mount. */
  readonly isPlain?: boolean;
  /** Takes the place of the suggestions and hovers that a schema gives. Only when it is mounted. */
  readonly assistant?: EditorAssistant;
  /** Shown while there is no text. Only when it is mounted. */
  readonly placeholder?: string;
  /** What to point out in the text. Must be stable. */
  readonly marks?: readonly EditorMark[];
  readonly ref?: Ref<JsonEditorHandle>;
}

const MIN_HEIGHT = 84;

/** An editor for one JSON document. A plain text area until Monaco has loaded, or if it cannot load. */
export function JsonEditor(props: JsonEditorProps) {
  const { value, onChange, label, schema, onSubmit, maxHeight = 420, fills = false, marks, ref } = props;
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  const [mounted, setMounted] = useState<MountedEditor | null>(null);
  const [failed, setFailed] = useState(false);
  const [height, setHeight] = useState(MIN_HEIGHT);

  useEffect(() => {
    let isWanted = true;
    let editor: MountedEditor | undefined;
    const mount = async () => {
      const { mountEditor } = await import('./monaco.ts');
      if (!isWanted || host.current === null) return;
      const hadFocus = host.current.parentElement?.contains(document.activeElement) ?? false;
      editor = mountEditor(host.current, {
        value: latest.current.value,
        label: latest.current.label,
        onChange: (text) => latest.current.onChange(text),
        onSubmit: () => latest.current.onSubmit?.(),
        onHeight: setHeight,
        assistant: latest.current.assistant,
        isPlain: latest.current.isPlain,
        hasLineNumbers: latest.current.fills,
        placeholder: latest.current.placeholder,
      });
      setMounted(editor);
      if (hadFocus) editor.focus();
    };
    mount().catch(() => setFailed(true));
    return () => {
      isWanted = false;
      editor?.dispose();
    };
  }, []);

  useImperativeHandle(
    ref,
    () => ({
      focus: () => (mounted === null ? plain.current?.focus() : mounted.focus()),
      select: (start: number, end: number) => mounted?.select(start, end),
    }),
    [mounted],
  );

  useEffect(() => mounted?.setValue(value), [mounted, value]);
  useEffect(() => mounted?.setSchema(schema), [mounted, schema]);
  useEffect(() => mounted?.setMarks(marks ?? []), [mounted, marks]);

  return (
    <div
      style={fills ? undefined : { height: Math.min(Math.max(height, MIN_HEIGHT), maxHeight) }}
      className={cx(
        'relative overflow-hidden bg-raise',
        fills
          ? 'h-full'
          : 'rounded-ui border border-line focus-within:border-accent focus-within:shadow-[0_0_0_2px_var(--accent-soft)]',
      )}
    >
      {mounted === null && (
        <textarea
          ref={plain}
          aria-label={label}
          spellCheck={false}
          value={value}
          placeholder={props.placeholder}
          className="mono absolute inset-0 resize-none px-2.5 py-1.5 leading-[18px] outline-none"
          onChange={(change) => onChange(change.target.value)}
          onKeyDown={(press) => {
            if (!matchesShortcut(press, 'Mod+Enter')) return;
            press.preventDefault();
            press.stopPropagation();
            onSubmit?.();
          }}
        />
      )}
      {failed && (
        <p className="absolute right-2 bottom-1 text-xs text-faint">
          The editor did not load; this is plain text.
        </p>
      )}
      <div ref={host} className={cx('absolute inset-0', mounted === null && 'invisible')} />
    </div>
  );
}
