import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { formatBytes } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { Framed } from '#ui/framed.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { BytesView, AudioView, ImageView } from '#ui/media/media-view.tsx';
import { base64Size } from '#ui/media/media.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { readDataUri } from './data-uri.ts';
import type { EncodedValue } from './encoded.ts';
import { type Jwt, type JwtInstant, readJwt, standardBase64 } from './jwt.ts';

/** What a value holds once it is decoded, below the message. It came after a click, and nothing of it is run. */
export function DecodedPanel({
  value,
  pointer,
  onClose,
}: {
  readonly value: EncodedValue;
  readonly pointer: string;
  readonly onClose: () => void;
}) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return (
    <section
      ref={ref}
      aria-label="Decoded value"
      tabIndex={-1}
      onKeyDown={(press) => {
        if (press.key !== 'Escape') return;
        press.stopPropagation();
        onClose();
      }}
      className="flex max-h-[60%] shrink-0 flex-col border-t border-line-strong bg-panel outline-none"
    >
      <div className="flex h-7 shrink-0 items-center gap-2 pr-1.5 pl-3">
        <h3 className="caption shrink-0">Decoded</h3>
        <span className="mono min-w-0 flex-1 truncate text-mute">{visibleLine(pointer)}</span>
        <IconButton label="Close the decoded value" size="small" onClick={onClose}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      <div
        role="region"
        aria-label="What it holds"
        // A scrolling region must be reachable by keyboard.
        tabIndex={0}
        className="min-h-0 overflow-y-auto px-3 pb-3"
      >
        <Content value={value} />
      </div>
    </section>
  );
}

function Content({ value: { kind, text, mimeType } }: { readonly value: EncodedValue }) {
  switch (kind) {
    case 'jwt': {
      const jwt = readJwt(text);
      return jwt === null ? <p className="text-mute">It only looks like a JWT.</p> : <JwtView jwt={jwt} />;
    }
    case 'image':
    case 'audio':
      return <BlobView text={text} mimeType={mimeType} />;
    case 'base64':
      return <BlobView text={standardBase64(text)} mimeType={mimeType} />;
    case 'data-uri': {
      const data = readDataUri(text);
      if (data === null) return <p className="text-mute">It only looks like a data URI.</p>;
      return 'base64' in data ? (
        <BlobView text={data.base64} mimeType={data.mimeType} />
      ) : (
        <PlainText text={data.text} className="mono" />
      );
    }
  }
}

/** Base64 by the type it is said to be of: an image, a sound, else text or bytes. */
function BlobView({ text, mimeType }: { readonly text: string; readonly mimeType: string | null }) {
  if (mimeType?.startsWith('image/')) return <ImageView data={text} mimeType={mimeType} note="" />;
  if (mimeType?.startsWith('audio/')) return <AudioView data={text} mimeType={mimeType} note="" />;
  const size = base64Size(text);
  const facts = [
    mimeType === null ? '' : visibleLine(mimeType),
    size === null ? 'no base64' : formatBytes(size),
  ];
  return (
    <Framed title="base64" note={facts.filter((fact) => fact !== '').join(' · ')}>
      <BytesView data={text} />
    </Framed>
  );
}

function JwtView({ jwt: { header, claims, signatureSize, instants } }: { readonly jwt: Jwt }) {
  return (
    <div className="flex flex-col gap-2">
      <Framed title="header">
        <JsonText raw={header} />
      </Framed>
      <Framed title="claims">
        <JsonText raw={claims} />
        {instants.length > 0 && (
          <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 border-t border-line pt-2">
            {instants.map((instant) => (
              <Instant key={instant.claim} {...instant} />
            ))}
          </dl>
        )}
      </Framed>
      <p className="text-sm text-mute">
        {signatureSize === 0
          ? 'It has no signature: anybody could have written it.'
          : `The signature of ${formatBytes(signatureSize)} was not verified: anybody could have written this.`}
      </p>
    </div>
  );
}

const claimWords: Readonly<Record<JwtInstant['claim'], string>> = {
  iat: 'issued',
  nbf: 'not before',
  exp: 'expires',
};

function Instant({ claim, at }: JwtInstant) {
  const instant = new Date(at * 1000);
  const isReal = Number.isFinite(instant.getTime());
  const [now] = useState(() => Date.now());
  const isPast = instant.getTime() < now;
  return (
    <>
      <dt className="text-mute">{claimWords[claim]}</dt>
      <dd className="mono">
        {isReal ? instant.toISOString().replace('T', ' ').replace('.000Z', ' UTC') : 'no instant'}
        {claim === 'exp' && isReal && isPast && <span className="font-sans text-warn"> has passed</span>}
        {claim === 'nbf' && isReal && !isPast && <span className="font-sans text-warn"> has not come</span>}
      </dd>
    </>
  );
}
