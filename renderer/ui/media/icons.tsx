import { Image } from 'lucide-react';
import { useMemo } from 'react';
import { formatQuantity } from '#shared/format.ts';
import { memberText } from '#shared/json/members.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { Tooltip } from '../tooltip.tsx';
import { visibleLine } from '../visible.ts';
import { readMedia } from './media.ts';

/** Icons shown at most, and characters of one: a server may send any. */
const MAX_SHOWN = 4;
const MAX_LENGTH = 200_000;

interface ReadIcons {
  /** Addresses that hold the image itself. */
  readonly shown: readonly string[];
  /** Why each of the others is not shown. */
  readonly others: readonly string[];
}

/**
 * The icons of a server, tool, resource or prompt (MCP 2025-11-25, icons), as the server sent them. Only images in `data:` addresses
 * are shown: any other would be fetched, and tell its host about the user.
 */
export function readIcons(icons: unknown): ReadIcons {
  const shown: string[] = [];
  const others: string[] = [];
  for (const icon of Array.isArray(icons) ? icons : []) {
    const src: unknown = isObject(icon) ? icon.src : undefined;
    if (typeof src !== 'string') others.push('an icon without an address');
    else {
      const image = imageIn(src);
      if (image !== null && shown.length < MAX_SHOWN) shown.push(image);
      else if (image === null) others.push(whyNot(src));
    }
  }
  return { shown, others };
}

function imageIn(src: string): string | null {
  const parts = src.length > MAX_LENGTH ? null : /^data:(?<type>[^;,]+);base64,(?<data>.*)$/is.exec(src);
  const { type, data } = parts?.groups ?? {};
  return type === undefined || data === undefined ? null : readMedia('image', data, type).dataUrl;
}

function whyNot(src: string): string {
  if (src.startsWith('data:')) return `${src.slice(0, 40)}… is not an image that is shown here`;
  return `${src.slice(0, 300)} is not fetched`;
}

/** The icons beside a name; how many are not shown, and why, on request. */
export function Icons({ icons }: { readonly icons: unknown }) {
  const { shown, others } = readIcons(icons);
  return (
    <>
      {shown.map((src, index) => (
        <img
          key={index}
          src={src}
          alt=""
          className="mr-1.5 inline-block size-5 object-contain align-text-bottom"
        />
      ))}
      {others.length > 0 && (
        <Tooltip text={others.slice(0, MAX_SHOWN).map(visibleLine).join('\n')}>
          <button
            type="button"
            className="mr-1.5 inline-flex cursor-default items-center gap-0.5 align-text-bottom text-xs font-normal text-faint"
          >
            <Image aria-hidden className="size-3.5" />
            {formatQuantity(others.length, 'icon')} not shown
          </button>
        </Tooltip>
      )}
    </>
  );
}

/** The value of a JSON text; null if it is not valid, because a long entry may be truncated. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The icons of an entry of a list. @param raw the entry as JSON text */
export function IconsOf({ raw }: { readonly raw: string }) {
  const icons = useMemo(() => {
    const text = memberText(raw, ['icons']);
    return text === null ? null : parsed(text);
  }, [raw]);
  return icons === null ? null : <Icons icons={icons} />;
}
