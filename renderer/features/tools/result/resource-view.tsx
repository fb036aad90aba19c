import { ExternalLink } from 'lucide-react';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { formatBytes } from '#shared/format.ts';
import { Framed } from '#ui/framed.tsx';
import { BytesView } from '#ui/media/bytes-view.tsx';
import { base64Size } from '#ui/media/media.ts';
import { ImageView } from '#ui/media/media-view.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { KnownBlock } from './read-result.ts';
import { TextView } from './text-view.tsx';

type BlockOf<T extends KnownBlock['type']> = Extract<KnownBlock, { readonly type: T }>;

/** A link to a resource. Nothing is fetched for it; only http(s) opens, and only by a click. */
export function LinkView({ link, note }: { readonly link: BlockOf<'resource_link'>; readonly note: string }) {
  const { uri, name, title, description, mimeType, size } = link;
  const details = [mimeType ?? null, size === undefined ? null : formatBytes(size), note || null];
  return (
    <Framed
      title="resource link"
      note={details
        .filter((part) => part !== null)
        .map(visibleLine)
        .join(' · ')}
      actions={<CopyButton text={uri} label="Copy the URI" />}
    >
      <div className="font-medium">
        <PlainText inline text={title ?? name ?? 'without a name'} />
        {title !== undefined && name !== undefined && name !== title && (
          <PlainText inline text={name} className="mono pl-2 font-normal text-faint" />
        )}
      </div>
      {description !== undefined && <PlainText text={description} className="text-mute" />}
      <div className="mt-1 flex items-start gap-2">
        <PlainText text={uri} className="mono min-w-0 flex-1 text-key" />
        {isWeb(uri) && (
          <Button
            size="small"
            icon={<ExternalLink aria-hidden className="size-3" />}
            onClick={() => window.open(uri, '_blank', 'noopener,noreferrer')}
          >
            Open in the browser
          </Button>
        )}
      </div>
    </Framed>
  );
}

const isWeb = (uri: string): boolean => URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol);

/** A resource that came with the result. */
export function EmbeddedView({
  resource,
  note,
}: {
  readonly resource: BlockOf<'resource'>['resource'];
  readonly note: string;
}) {
  const { uri, mimeType } = resource;
  const about = [uri, mimeType ?? '', note]
    .filter((part) => part !== '')
    .map(visibleLine)
    .join(' · ');
  if ('text' in resource) return <TextView title="resource" text={resource.text} note={about} />;
  if (mimeType?.startsWith('image/'))
    return <ImageView data={resource.blob} mimeType={mimeType} note={visibleLine(uri)} />;
  const size = base64Size(resource.blob);
  return (
    <Framed title="resource" note={size === null ? about : `${formatBytes(size)} · ${about}`}>
      {size === null && <p className="mb-1 text-sm text-warn">The blob is not base64.</p>}
      <BytesView data={resource.blob} />
    </Framed>
  );
}
