import { Lock, LockOpen, ShieldAlert } from 'lucide-react';
import { isLoopback } from '#shared/loopback.ts';
import { cx } from '#ui/cx.ts';
import { Tooltip } from '#ui/tooltip.tsx';

/** Whether what goes to an HTTP server is encrypted, as a lock with a word. */
export function Encryption({
  url,
  isAccepted,
}: {
  readonly url: string;
  /** Whether the user accepted a certificate that no authority vouches for. */
  readonly isAccepted: boolean;
}) {
  const { Icon, label, means, tone } = encryptionOf(url, isAccepted);
  return (
    <Tooltip text={means}>
      <button
        type="button"
        className={cx('inline-flex shrink-0 cursor-default items-center gap-1 align-baseline text-sm', tone)}
      >
        <Icon aria-hidden className="size-3" />
        {label}
      </button>
    </Tooltip>
  );
}

function encryptionOf(text: string, isAccepted: boolean) {
  const url = URL.canParse(text) ? new URL(text) : null;
  // Before it is connected, the host may be a variable.
  const protocol = url?.protocol ?? /^https?:/i.exec(text)?.[0].toLowerCase();
  if (protocol === undefined) {
    return {
      Icon: LockOpen,
      label: 'depends on a variable',
      means: 'Whether the connection is encrypted is known once its variables have values.',
      tone: 'text-mute',
    };
  }
  if (protocol === 'https:') {
    return isAccepted
      ? {
          Icon: ShieldAlert,
          label: 'TLS, accepted',
          means: 'Encrypted. You accepted the certificate by its fingerprint; no authority vouches for it.',
          tone: 'text-warn',
        }
      : {
          Icon: Lock,
          label: 'TLS',
          means: 'Encrypted, with a certificate of an authority that is trusted here.',
          tone: 'text-mute',
        };
  }
  return url !== null && isLoopback(url)
    ? {
        Icon: LockOpen,
        label: 'plain',
        means: 'Plain http: not encrypted, but it does not leave this machine.',
        tone: 'text-mute',
      }
    : {
        Icon: LockOpen,
        label: 'plain, not encrypted',
        means: 'Plain http: anyone on the network path can read what is sent, including secret headers.',
        tone: 'text-warn',
      };
}
