import { ExternalLink } from 'lucide-react';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText, VisibleText } from '#ui/plain-text.tsx';
import { Part, theirs, Warning } from './pane-layout.tsx';
import { readAddress } from './address.ts';

/** An address that the server wants the user to open. Opened by a click alone, and only when it is of the web. */
export function UrlView({ url }: { readonly url: string | null }) {
  if (url === null) return <Warning tone="warn">The request names no URL.</Warning>;
  const address = readAddress(url);
  if (address.state === 'unreadable') {
    return (
      <>
        <Part name="URL">
          <PlainText text={url} className={`mono ${theirs}`} />
        </Part>
        <Warning tone="warn">This is no URL that can be read, so it is only shown.</Warning>
      </>
    );
  }
  const { href, before, host, after, isWeb, isRewritten, warnings } = address;
  return (
    <>
      <Part name="URL" note="what would be opened">
        <div className={`mono [overflow-wrap:anywhere] ${theirs}`}>
          <span className="text-mute">
            <VisibleText text={before} />
          </span>
          <mark
            aria-label={`host ${host}`}
            className="rounded-sm bg-accent-soft px-0.5 font-semibold text-text outline outline-accent"
          >
            <VisibleText text={host} />
          </mark>
          <span className="text-mute">
            <VisibleText text={after} />
          </span>
        </div>
      </Part>
      {isRewritten && (
        <Warning tone="warn">
          The server wrote it otherwise: <PlainText inline text={url} className="mono" />
        </Warning>
      )}
      {warnings.map((says) => (
        <Warning key={says} tone="warn">
          {says}
        </Warning>
      ))}
      <div className="mt-2 flex flex-wrap gap-2">
        {isWeb && (
          <Button
            size="small"
            icon={<ExternalLink aria-hidden className="size-3" />}
            onClick={() => window.open(href, '_blank', 'noopener,noreferrer')}
          >
            Open in browser
          </Button>
        )}
        <CopyButton text={url} label="Copy address" withWord />
      </div>
      <p className="mt-2 text-sm text-mute">
        Accepting says that you agree to open it, not that you are done there. Nothing is opened by itself.
      </p>
    </>
  );
}
