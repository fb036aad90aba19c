import { ExternalLink } from 'lucide-react';
import { readAddress } from '#ui/address.ts';
import { AddressText, privateAddressNote } from '#ui/address-view.tsx';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Part, serverTextFrame, Warning } from './pane-layout.tsx';

/** An address that the server wants the user to open. Only http(s) is opened, and only by a click. */
export function UrlView({ url }: { readonly url: string | null }) {
  if (url === null) return <Warning tone="warn">The request has no URL.</Warning>;
  const address = readAddress(url);
  if (address.state === 'unreadable') {
    return (
      <>
        <Part name="URL">
          <PlainText text={url} className={`mono ${serverTextFrame}`} />
        </Part>
        <Warning tone="warn">This is not a valid URL, so it cannot be opened.</Warning>
      </>
    );
  }
  const { href, isPrivate, isWeb, isRewritten, warnings } = address;
  return (
    <>
      <Part name="URL" note="as it would be opened">
        <AddressText address={address} className={serverTextFrame} />
      </Part>
      {isRewritten && (
        <Warning tone="warn">
          The server sent it as: <PlainText inline text={url} className="mono" />
        </Warning>
      )}
      {isPrivate && <Warning tone="warn">{privateAddressNote}</Warning>}
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
        Accepting tells the server that you agree to open it, not that you are done there. Nothing opens
        automatically.
      </p>
    </>
  );
}
