import { ExternalLink, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { type ReadAddress, readAddress } from './address.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { VisibleText } from './plain-text.tsx';
import { Popover } from './popover.tsx';

/** An address of a server in full, its host emphasized. */
export function AddressText({
  address: { before, host, after },
  className,
}: {
  readonly address: ReadAddress;
  readonly className?: string;
}) {
  return (
    <div className={cx('mono [overflow-wrap:anywhere]', className)}>
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
  );
}

/** What to say about an address of a server that names this machine or its network. */
export const privateAddressNote =
  'It leads to this machine or its network, which a server elsewhere cannot reach itself.';

/** Opens an http(s) address in the browser after a confirmation that shows all of it; nothing for other addresses. */
export function OpenInBrowser({ uri }: { readonly uri: string }) {
  const [isOpen, setOpen] = useState(false);
  const address = readAddress(uri);
  if (address.state === 'unreadable' || !address.isWeb) return null;
  return (
    <Popover
      label="Open this address?"
      open={isOpen}
      onOpenChange={setOpen}
      align="end"
      className="w-[360px] max-w-[calc(100vw-16px)]"
      trigger={
        <Button size="small" icon={<ExternalLink aria-hidden className="size-3" />}>
          Open in browser…
        </Button>
      }
    >
      <p>Open this address in your browser? Sightglass itself does not request it.</p>
      <AddressText
        address={address}
        className="mt-2 max-h-40 overflow-auto rounded-ui border border-line bg-raise px-2 py-1"
      />
      {address.isPrivate && <p className="mt-2 text-sm">{privateAddressNote}</p>}
      {address.warnings.map((says) => (
        <p key={says} className="mt-2 flex items-start gap-1.5 text-sm text-warn">
          <TriangleAlert aria-hidden className="mt-[3px] size-3 shrink-0" />
          {says}
        </p>
      ))}
      <div className="mt-3 flex justify-end gap-2">
        <Button size="small" onClick={() => setOpen(false)}>
          Cancel
        </Button>
        <Button
          size="small"
          variant="primary"
          onClick={() => {
            setOpen(false);
            window.open(address.href, '_blank', 'noopener,noreferrer');
          }}
        >
          Open
        </Button>
      </div>
    </Popover>
  );
}
