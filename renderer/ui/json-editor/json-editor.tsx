import { useEffect, useRef, useState } from 'react';
import type { MountedEditor } from './monaco.ts';
import './json-editor.css';

export interface JsonEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly label: string;
  /** The schema that squiggles and suggestions come from. Nothing is fetched for it. */
  readonly schema?: object | undefined;
  /** Ctrl/Cmd+Enter. */
  readonly onSubmit?: (() => void) | undefined;
  /** Pixels; the editor grows with its text up to here. */
  readonly maxHeight?: number;
}

const MIN_HEIGHT = 84;

/** An editor for one JSON document. A plain text area until Monaco has loaded, and for good when it cannot. */
export function JsonEditor(props: JsonEditorProps) {
  const { value, onChange, label, schema, onSubmit, maxHeight = 420 } = props;
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [mounted, setMounted] = useState<MountedEditor | null>(null);
  const [height, setHeight] = useState(MIN_HEIGHT);

  useEffect(() => {
    let isWanted = true;
    let editor: MountedEditor | undefined;
    const mount = ({ mountEditor }: typeof import('./monaco.ts')) => {
      if (!isWanted || host.current === null) return;
      editor = mountEditor(host.current, {
        value: latest.current.value,
        label: latest.current.label,
        onChange: (text) => latest.current.onChange(text),
        onSubmit: () => latest.current.onSubmit?.(),
        onHeight: setHeight,
      });
      setMounted(editor);
    };
    import('./monaco.ts').then(mount, (error: unknown) => console.warn('The editor did not load.', error));
    return () => {
      isWanted = false;
      editor?.dispose();
    };
  }, []);

  useEffect(() => mounted?.setValue(value), [mounted, value]);
  useEffect(() => mounted?.setSchema(schema), [mounted, schema]);

  return (
    <div className="json-editor" style={{ height: Math.min(Math.max(height, MIN_HEIGHT), maxHeight) }}>
      {mounted === null && (
        <textarea
          aria-label={label}
          spellCheck={false}
          value={value}
          onChange={(change) => onChange(change.target.value)}
          onKeyDown={(press) => {
            if (press.key !== 'Enter' || !(press.ctrlKey || press.metaKey)) return;
            press.preventDefault();
            onSubmit?.();
          }}
        />
      )}
      <div ref={host} className="json-editor-host" hidden={mounted === null} />
    </div>
  );
}
