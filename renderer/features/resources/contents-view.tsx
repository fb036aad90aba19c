import { withoutEnd } from '#shared/trim.ts';
import { TriangleAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import { formatBytes, formatCount } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { Framed } from '#ui/framed.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { AudioView, ImageView } from '#ui/media/media-view.tsx';
import { base64Text, firstBytes, hexDump } from '#ui/media/media.ts';
import { prettyJson } from '#ui/pretty-json.ts';
import { TextLines } from '#ui/text-lines.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type Contents, pdfFacts } from './read-contents.ts';
import type { ContentsView as View } from './resources-state.ts';

/** The contents that a read returned: usually one, several for a folder. Never rendered as HTML. */
export function ContentsView({
  contents,
  view,
  changed,
  wraps,
}: {
  readonly contents: readonly Contents[];
  readonly view: Exclude<View, 'message'>;
  /** Lines of the first text that differ from the read before; null if they are not known. */
  readonly changed: ReadonlySet<number> | null;
  readonly wraps: boolean;
}) {
  const [only] = contents;
  if (contents.length === 1 && only !== undefined) {
    return (
      <>
        <Errors errors={only.errors} />
        <Body contents={only} view={view} changed={changed} wraps={wraps} />
      </>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      {contents.map((one, index) => (
        // Contents have no ids, and a result never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <Framed key={index} title={visibleLine(one.uri ?? 'no URI')} note={noteOf(one)} actions={copyOf(one)}>
          <Errors errors={one.errors} />
          <Body contents={one} view={view} changed={index === 0 ? changed : null} wraps={wraps} />
        </Framed>
      ))}
    </div>
  );
}

const noteOf = ({ mimeType, body }: Contents): string =>
  [
    mimeType === null ? '' : visibleLine(mimeType),
    body.kind === 'none' ? '' : body.size === null ? 'not base64' : formatBytes(body.size),
  ]
    .filter((part) => part !== '')
    .join(' · ');

const copyOf = ({ body }: Contents) =>
  body.kind === 'text' ? <CopyButton text={body.text} label="Copy the text" /> : undefined;

function Errors({ errors }: { readonly errors: readonly string[] }) {
  return errors.map((error) => (
    <p
      key={error}
      className="mb-2 flex items-start gap-1.5 border-l-2 border-warn py-0.5 pl-2 text-sm text-warn"
    >
      <TriangleAlert aria-hidden className="mt-[3px] size-3 shrink-0" />
      {error}
    </p>
  ));
}

interface BodyProps {
  readonly contents: Contents;
  readonly view: 'preview' | 'hex';
  readonly changed: ReadonlySet<number> | null;
  readonly wraps: boolean;
}

function Body({ contents, view, changed, wraps }: BodyProps) {
  const { body, mimeType, raw } = contents;
  if (body.kind === 'none' || (body.kind === 'blob' && body.size === null)) return <JsonText raw={raw} />;
  if (view === 'hex') return <Hex body={body} />;
  if (body.kind === 'text') {
    return isJson(mimeType, body.text) ? (
      <JsonText raw={body.text} />
    ) : (
      <TextLines text={body.text} changed={changed} wraps={wraps} />
    );
  }
  return <Blob data={body.data} mimeType={mimeType ?? ''} wraps={wraps} />;
}

const isJson = (mimeType: string | null, text: string): boolean =>
  (mimeType === null || /[/+]json\b/i.test(mimeType)) && /^\s*[[{]/.test(text) && prettyJson(text) !== null;

function Blob({
  data,
  mimeType,
  wraps,
}: {
  readonly data: string;
  readonly mimeType: string;
  readonly wraps: boolean;
}) {
  const text = useMemo(() => (/^text\//i.test(mimeType) ? base64Text(data) : null), [data, mimeType]);
  if (/^image\//i.test(mimeType)) return <ImageView data={data} mimeType={mimeType} note="" />;
  if (/^audio\//i.test(mimeType)) return <AudioView data={data} mimeType={mimeType} note="" />;
  if (text !== null) return <TextLines text={text} changed={null} wraps={wraps} />;
  return (
    <>
      {/^application\/pdf\b/i.test(mimeType) && <PdfFacts data={data} />}
      <Hex body={{ kind: 'blob', data }} />
    </>
  );
}

/** Bytes of a document that are searched for its facts. */
const MAX_PDF = 16 * 1024 * 1024;

function PdfFacts({ data }: { readonly data: string }) {
  const facts = useMemo(() => pdfFacts(firstBytes(data, MAX_PDF)), [data]);
  return <p className="mb-2 text-mute">{facts.join(' · ')}. Save it to open it in another program.</p>;
}

/** Bytes shown at first; each click on "Show more" quadruples them. */
const FIRST_BYTES = 4096;

function Hex({
  body,
}: {
  readonly body:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'blob'; readonly data: string };
}) {
  const [limit, setLimit] = useState(FIRST_BYTES);
  const { bytes, size } = useMemo(() => bytesOf(body, limit), [body, limit]);
  return (
    <>
      <pre className="mono w-max leading-[1.55]">{hexDump(bytes)}</pre>
      {size > limit && (
        <Button size="small" className="mt-2" onClick={() => setLimit(limit * 4)}>
          Show more ({formatCount(size - limit)} bytes hidden)
        </Button>
      )}
    </>
  );
}

function bytesOf(
  body: Parameters<typeof Hex>[0]['body'],
  limit: number,
): { readonly bytes: Uint8Array; readonly size: number } {
  if (body.kind === 'blob') {
    const size = Math.floor((withoutEnd(body.data, '=').length * 3) / 4);
    return { bytes: firstBytes(body.data, limit), size };
  }
  const bytes = new TextEncoder().encode(body.text);
  return { bytes: bytes.subarray(0, limit), size: bytes.length };
}
