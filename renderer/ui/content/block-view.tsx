import { type ReactNode, useMemo, useState } from 'react';
import { readBase64 } from '#shared/base64.ts';
import { formatBytes } from '#shared/format.ts';
import { OpenInBrowser } from '../address-view.tsx';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { Framed } from '../framed.tsx';
import { JsonText } from '../json-text.tsx';
import { BytesView, AudioView, ImageView } from '../media/media-view.tsx';
import { PlainText } from '../plain-text.tsx';
import { prettyJson } from '../pretty-json.ts';
import { Segmented } from '../segmented.tsx';
import { visibleLine } from '../visible.ts';
import { AnnotationChips } from './annotations.tsx';
import type { Block, KnownBlock } from './read-content.ts';
import { useShowResource } from './show-resource.ts';

/** One content block of a result. Never rendered as HTML. */
export function BlockView({ block }: { readonly block: Block }) {
  if (block.kind === 'other') {
    return (
      <Framed
        title={<span className="text-warn">cannot be shown</span>}
        note={<PlainText inline text={block.error} />}
      >
        <JsonText raw={block.raw} />
      </Framed>
    );
  }
  return <KnownView block={block.block} note={<AnnotationChips annotations={block.block.annotations} />} />;
}

function KnownView({ block, note }: { readonly block: KnownBlock; readonly note: ReactNode }) {
  switch (block.type) {
    case 'text':
      return <TextView text={block.text} note={note} />;
    case 'image':
      return <ImageView data={block.data} mimeType={block.mimeType} note={note} />;
    case 'audio':
      return <AudioView data={block.data} mimeType={block.mimeType} note={note} />;
    case 'resource_link':
      return <LinkView link={block} note={note} />;
    case 'resource':
      return <EmbeddedView resource={block.resource} note={note} />;
  }
}

/** Text as it is; JSON text can be pretty-printed. */
function TextView({
  text,
  note,
  title = 'text',
}: {
  readonly text: string;
  readonly note: ReactNode;
  readonly title?: string;
}) {
  const [view, setView] = useState<'text' | 'json'>('text');
  const isJson = useMemo(() => /^\s*[[{]/.test(text) && prettyJson(text) !== null, [text]);
  const size = useMemo(() => formatBytes(new TextEncoder().encode(text).length), [text]);
  return (
    <Framed
      title={title}
      note={
        <>
          {size} {note}
        </>
      }
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

type BlockOf<T extends KnownBlock['type']> = Extract<KnownBlock, { readonly type: T }>;

/** A link to a resource. Never fetched; only http(s) URLs can be opened, after a confirmation. */
function LinkView({ link, note }: { readonly link: BlockOf<'resource_link'>; readonly note: ReactNode }) {
  const { uri, name, title, description, mimeType, size } = link;
  const show = useShowResource();
  const details = [mimeType ?? null, size === undefined ? null : formatBytes(size)];
  return (
    <Framed
      title="resource link"
      note={
        <>
          {details
            .filter((part) => part !== null)
            .map(visibleLine)
            .join(' · ')}{' '}
          {note}
        </>
      }
      actions={<CopyButton text={uri} label="Copy the URI" />}
    >
      <div className="font-medium">
        <PlainText inline text={title ?? name ?? 'no name'} />
        {title !== undefined && name !== undefined && name !== title && (
          <PlainText inline text={name} className="mono pl-2 font-normal text-faint" />
        )}
      </div>
      {description !== undefined && <PlainText text={description} className="text-mute" />}
      <div className="mt-1 flex items-start gap-2">
        <PlainText text={uri} className="mono min-w-0 flex-1 text-key" />
        {show !== null && (
          <Button size="small" onClick={() => show(uri)}>
            Show in Resources
          </Button>
        )}
        <OpenInBrowser uri={uri} />
      </div>
    </Framed>
  );
}

/** An embedded resource. */
function EmbeddedView({
  resource,
  note,
}: {
  readonly resource: BlockOf<'resource'>['resource'];
  readonly note: ReactNode;
}) {
  const { uri, mimeType } = resource;
  const about = (
    <>
      {[uri, mimeType ?? '']
        .filter((part) => part !== '')
        .map(visibleLine)
        .join(' · ')}{' '}
      {note}
    </>
  );
  if ('text' in resource) return <TextView title="resource" text={resource.text} note={<>· {about}</>} />;
  if (mimeType?.startsWith('image/')) {
    return (
      <ImageView
        data={resource.blob}
        mimeType={mimeType}
        note={
          <>
            · {visibleLine(uri)} {note}
          </>
        }
      />
    );
  }
  const { size, fault } = readBase64(resource.blob);
  return (
    <Framed
      title="resource"
      note={
        <>
          {`${size === null ? 'not base64' : formatBytes(size)} · `}
          {about}
        </>
      }
    >
      {fault !== null && (
        <PlainText text={`The blob is not base64: ${fault}.`} className="mb-1 text-sm text-warn" />
      )}
      <BytesView data={resource.blob} />
    </Framed>
  );
}
