import { withoutEnd } from '#shared/trim.ts';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { readBase64 } from '#shared/base64.ts';
import { formatBytes } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { Framed } from '#ui/framed.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { BytesView, AudioView, ImageView } from '#ui/media/media-view.tsx';
import { base64Text } from '#ui/media/media.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { EncodedValue } from './encoded.ts';

/** The decoded content of a value, below the message. Shown on click only; nothing in it is executed. */
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
        aria-label="Content"
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
      return jwt === null ? <p className="text-mute">This is not a valid JWT.</p> : <JwtView jwt={jwt} />;
    }
    case 'image':
    case 'audio':
      return <BlobView text={text} mimeType={mimeType} />;
    case 'base64':
      return <BlobView text={standardBase64(text)} written={text} mimeType={mimeType} />;
    case 'data-uri': {
      const data = readDataUri(text);
      if (data === null) return <p className="text-mute">This is not a valid data URI.</p>;
      return 'base64' in data ? (
        <BlobView text={data.base64} mimeType={data.mimeType} />
      ) : (
        <PlainText text={data.text} className="mono" />
      );
    }
  }
}

/** Base64 by its declared type: an image, a sound, else text or bytes. */
function BlobView({
  text,
  written = text,
  mimeType,
}: {
  readonly text: string;
  /** The text as the message has it, which may be another notation of base64. */
  readonly written?: string;
  readonly mimeType: string | null;
}) {
  if (mimeType?.startsWith('image/')) return <ImageView data={text} mimeType={mimeType} note="" />;
  if (mimeType?.startsWith('audio/')) return <AudioView data={text} mimeType={mimeType} note="" />;
  const { size } = readBase64(text);
  const { fault } = readBase64(written);
  const facts = [
    mimeType === null ? '' : visibleLine(mimeType),
    size === null ? 'not base64' : formatBytes(size),
    size === null || fault === null ? '' : `as written, ${fault}`,
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
        {signatureSize === null
          ? 'The signature is not base64: anyone could have written this.'
          : signatureSize === 0
            ? 'No signature: anyone could have written this.'
            : `The signature of ${formatBytes(signatureSize)} was not verified: anyone could have written this.`}
      </p>
    </div>
  );
}

const claimLabels: Readonly<Record<JwtInstant['claim'], string>> = {
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
      <dt className="text-mute">{claimLabels[claim]}</dt>
      <dd className="mono">
        {isReal ? instant.toISOString().replace('T', ' ').replace('.000Z', ' UTC') : 'not a valid time'}
        {claim === 'exp' && isReal && isPast && <span className="font-sans text-warn"> (expired)</span>}
        {claim === 'nbf' && isReal && !isPast && <span className="font-sans text-warn"> (not yet)</span>}
      </dd>
    </>
  );
}

/** The content of a data URI (RFC 2397): base64 or text. */
type DataUri =
  | { readonly mimeType: string; readonly base64: string }
  | { readonly mimeType: string; readonly text: string };

/** Parses a data URI; null when it is not one. Nothing is loaded. */
function readDataUri(uri: string): DataUri | null {
  const comma = uri.indexOf(',');
  if (!uri.startsWith('data:') || comma === -1) return null;
  const [mimeType = '', ...parameters] = uri.slice(5, comma).split(';');
  const rest = uri.slice(comma + 1);
  const type = mimeType === '' ? 'text/plain' : mimeType;
  if (parameters.at(-1) === 'base64') return { mimeType: type, base64: rest };
  try {
    return { mimeType: type, text: decodeURIComponent(rest) };
  } catch {
    return { mimeType: type, text: rest };
  }
}

/** A decoded JSON Web Token (RFC 7519). Not verified. */
interface Jwt {
  /** JSON text. */
  readonly header: string;
  readonly claims: string;
  /** Bytes; null if it is not base64. */
  readonly signatureSize: number | null;
  /** The claims that are points in time. */
  readonly instants: readonly JwtInstant[];
}

interface JwtInstant {
  readonly claim: 'iat' | 'nbf' | 'exp';
  /** Seconds since the Unix epoch. */
  readonly at: number;
}

const instantClaims = ['iat', 'nbf', 'exp'] as const;

/** Decodes a JWT; null when it is not one. */
function readJwt(text: string): Jwt | null {
  const [header = '', claims = '', signature = ''] = text.split('.');
  const headerText = base64Text(standardBase64(header));
  const claimsText = base64Text(standardBase64(claims));
  if (headerText === null || claimsText === null) return null;
  const parsed = parsedObject(claimsText);
  if (parsedObject(headerText) === null || parsed === null) return null;
  const instants = instantClaims.flatMap((claim) => {
    const at = parsed[claim];
    return typeof at === 'number' ? [{ claim, at }] : [];
  });
  return {
    header: headerText,
    claims: claimsText,
    signatureSize: readBase64(standardBase64(signature)).size,
    instants,
  };
}

/** Converts base64url (RFC 4648 section 5) to padded base64 (section 4). */
function standardBase64(text: string): string {
  const standard = withoutEnd(text.replaceAll('-', '+').replaceAll('_', '/'), '=');
  return standard.padEnd(Math.ceil(standard.length / 4) * 4, '=');
}

function parsedObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
