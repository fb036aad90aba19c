import { type ReactNode, useMemo, useState } from 'react';
import { readBase64 } from '#shared/base64.ts';
import { formatBytes } from '#shared/format.ts';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { Framed } from '../framed.tsx';
import { PlainText } from '../plain-text.tsx';
import { visibleLine } from '../visible.ts';
import { type Media, readMedia, base64Text, firstBytes, hexDump } from './media.ts';

interface MediaProps {
  readonly data: string;
  readonly mimeType: string;
  readonly note: ReactNode;
}

/** An image, drawn only from checked data; otherwise its bytes. */
export function ImageView({ data, mimeType, note }: MediaProps) {
  const media = useMemo(() => readMedia('image', data, mimeType), [data, mimeType]);
  const [drawn, setDrawn] = useState<string | null>(null);
  const [isBroken, setBroken] = useState(false);
  const [asked, setAsked] = useState<string | null>(null);
  return (
    <Framed title="image" note={noteOf(media, mimeType, drawn, note)}>
      <MediaFault media={media} />
      {isBroken && (
        <p className="text-sm text-err">The browser cannot draw these bytes as {visibleLine(mimeType)}.</p>
      )}
      {media.dataUrl === null || isBroken ? (
        <BytesView data={data} />
      ) : media.costly !== null && asked !== data ? (
        <div className="flex flex-col items-start gap-1.5">
          <p className="text-sm text-mute">{media.costly}</p>
          <Button size="small" onClick={() => setAsked(data)}>
            Draw the image
          </Button>
        </div>
      ) : (
        <img
          src={media.dataUrl}
          alt="Sent by the server"
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setDrawn(`${naturalWidth} × ${naturalHeight}`)
          }
          onError={() => setBroken(true)}
          className="max-h-96 max-w-full rounded-sm bg-[repeating-conic-gradient(var(--line)_0_25%,var(--panel)_0_50%)] bg-[length:12px_12px] object-contain"
        />
      )}
    </Framed>
  );
}

/** An audio player for checked data. Never plays automatically. */
export function AudioView({ data, mimeType, note }: MediaProps) {
  const media = useMemo(() => readMedia('audio', data, mimeType), [data, mimeType]);
  const [length, setLength] = useState<string | null>(null);
  const [isBroken, setBroken] = useState(false);
  return (
    <Framed title="audio" note={noteOf(media, mimeType, length, note)}>
      <MediaFault media={media} />
      {isBroken && (
        <p className="text-sm text-err">The browser cannot play these bytes as {visibleLine(mimeType)}.</p>
      )}
      {media.dataUrl === null || isBroken ? (
        <BytesView data={data} />
      ) : (
        // Audio from a tool has no captions.
        // oxlint-disable-next-line jsx-a11y/media-has-caption
        <audio
          controls
          preload="metadata"
          src={media.dataUrl}
          aria-label="Sent by the server"
          onLoadedMetadata={({ currentTarget: { duration } }) =>
            setLength(Number.isFinite(duration) ? `${duration.toFixed(1)} s` : null)
          }
          onError={() => setBroken(true)}
          className="h-9 w-full max-w-md"
        />
      )}
    </Framed>
  );
}

const noteOf = ({ size }: Media, mimeType: string, measured: string | null, note: ReactNode) => (
  <>
    {[visibleLine(mimeType), size === null ? 'not base64' : formatBytes(size), measured ?? '']
      .filter((part) => part !== '')
      .join(' · ')}{' '}
    {note}
  </>
);

function MediaFault({ media }: { readonly media: Media }) {
  if (media.fault === null) return null;
  return <PlainText text={media.fault} className="mb-1 text-sm text-warn" />;
}

/** Bytes shown in a hex dump. */
const SHOWN = 1024;

/** Base64 data as text, as a hex dump if it is binary, or unchanged if it is invalid. */
export function BytesView({ data }: { readonly data: string }) {
  const { size } = readBase64(data);
  const text = useMemo(() => (size === null || size > 1_000_000 ? null : base64Text(data)), [data, size]);
  return (
    <div className="relative">
      <CopyButton
        text={data}
        label={size === null ? 'Copy the data' : 'Copy the base64'}
        className="absolute top-0 right-0"
      />
      {size === null || text !== null ? (
        <PlainText text={text ?? data} className="mono pr-6" />
      ) : (
        <>
          <pre className="mono overflow-x-auto pr-6">{hexDump(firstBytes(data, SHOWN))}</pre>
          {size > SHOWN && (
            <p className="mt-1 text-xs text-faint">
              The first {formatBytes(SHOWN)} of {formatBytes(size)}; the trace has all of them.
            </p>
          )}
        </>
      )}
    </div>
  );
}
