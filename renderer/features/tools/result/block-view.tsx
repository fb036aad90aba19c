import { Framed } from '#ui/framed.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { AudioView, ImageView } from '#ui/media/media-view.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { Annotations, Block, KnownBlock } from './read-result.ts';
import { EmbeddedView, LinkView } from './resource-view.tsx';
import { TextView } from './text-view.tsx';

/** One block of a result's content, each kind in its own way. Nothing of it is ever HTML. */
export function BlockView({ block }: { readonly block: Block }) {
  if (block.kind === 'other') {
    return (
      <Framed
        title={<span className="text-warn">not shown as content</span>}
        note={<PlainText inline text={block.why} />}
      >
        <JsonText raw={block.raw} />
      </Framed>
    );
  }
  return <KnownView block={block.block} note={annotationNote(block.block.annotations)} />;
}

function KnownView({ block, note }: { readonly block: KnownBlock; readonly note: string }) {
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

/** What the server says of who a block is for: `for user · priority 0.8 · 2025-05-03`. */
function annotationNote(annotations: Annotations | undefined): string {
  if (annotations === undefined) return '';
  const { audience, priority, lastModified } = annotations;
  return [
    audience === undefined || audience.length === 0 ? null : `for ${audience.join(', ')}`,
    priority === undefined ? null : `priority ${priority}`,
    lastModified ?? null,
  ]
    .filter((part) => part !== null)
    .map(visibleLine)
    .join(' · ');
}
