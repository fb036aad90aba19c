import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { PlainText } from './plain-text.tsx';

const HIDDEN = '••••••••••••';

/** A secret: hidden until a click, and copied without being shown. */
export function MaskedText({ name, text }: { readonly name: string; readonly text: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <span className="flex min-w-0 items-center gap-0.5">
      {isShown ? (
        <PlainText inline text={text} className="mono mr-1 min-w-0" />
      ) : (
        <span role="img" aria-label="hidden" className="mono mr-1 text-mute">
          {HIDDEN}
        </span>
      )}
      <IconButton
        size="small"
        label={`${isShown ? 'Hide' : 'Show'} the ${name}`}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? <EyeOff aria-hidden className="size-3.5" /> : <Eye aria-hidden className="size-3.5" />}
      </IconButton>
      <CopyButton text={text} label={`Copy the ${name}`} />
    </span>
  );
}
