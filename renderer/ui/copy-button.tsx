import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { copyText } from './clipboard.ts';

/** Copies text, and shows whether that worked. */
export function CopyButton({
  text,
  label = 'Copy',
  withWord,
  className,
}: {
  /** The text, or a function that produces it. */
  readonly text: string | (() => string | Promise<string>);
  /** What is copied, such as `Copy the path`. */
  readonly label?: string;
  /** Whether to show the label beside the icon. */
  readonly withWord?: boolean;
  readonly className?: string;
}) {
  const [outcome, setOutcome] = useState<'none' | 'done' | 'failed'>('none');
  useEffect(() => {
    if (outcome === 'none') return;
    const timer = setTimeout(() => setOutcome('none'), 1500);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    const value = typeof text === 'string' ? text : await text();
    setOutcome((await copyText(value)) ? 'done' : 'failed');
  };
  const onClick = () => {
    copy().catch(() => setOutcome('failed'));
  };
  const says = { none: label, done: 'Copied', failed: 'Copying failed' }[outcome];
  const Icon = { none: Copy, done: Check, failed: X }[outcome];
  const icon = <Icon aria-hidden className="size-3.5" />;
  if (withWord) {
    return (
      <Button size="small" icon={icon} onClick={onClick} {...(className !== undefined && { className })}>
        {says}
      </Button>
    );
  }
  return (
    <IconButton size="small" label={says} onClick={onClick} {...(className !== undefined && { className })}>
      {icon}
    </IconButton>
  );
}
