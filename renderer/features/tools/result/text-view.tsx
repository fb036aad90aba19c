import { useMemo, useState } from 'react';
import { CopyButton } from '#ui/copy-button.tsx';
import { formatBytes } from '#shared/format.ts';
import { Framed } from '#ui/framed.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { prettyJson } from '#ui/pretty-json.ts';
import { Segmented } from '#ui/segmented.tsx';

/** Text as it is, or laid out when it is JSON and the reader wants it so. */
export function TextView({
  text,
  note,
  title = 'text',
}: {
  readonly text: string;
  readonly note: string;
  readonly title?: string;
}) {
  const [view, setView] = useState<'text' | 'json'>('text');
  const isJson = useMemo(() => /^\s*[[{]/.test(text) && prettyJson(text) !== null, [text]);
  const size = useMemo(() => formatBytes(new TextEncoder().encode(text).length), [text]);
  return (
    <Framed
      title={title}
      note={note === '' ? size : `${size} · ${note}`}
      actions={
        <>
          {isJson && (
            <Segmented
              label="Show the text as"
              value={view}
              onChange={setView}
              options={[
                { id: 'text', label: 'Text' },
                { id: 'json', label: 'JSON' },
              ]}
              className="h-[22px]"
            />
          )}
          <CopyButton text={text} label="Copy the text" />
        </>
      }
    >
      {view === 'json' ? <JsonText raw={text} /> : <PlainText text={text} className="mono leading-[1.5]" />}
    </Framed>
  );
}
