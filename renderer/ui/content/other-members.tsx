import { useMemo, useState } from 'react';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { memberTexts } from '#shared/json/members.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { JsonText } from '#ui/json-text.tsx';
import { visibleLine } from '#ui/visible.ts';

/** Members listed; the rest are counted, because a server may send any number. */
const MAX_MEMBERS = 20;

/**
 * The members of a result that its content view does not render, such as `_meta`: a collapsed line each, which opens to
 * the JSON. Those of a failed result are open: they often hold its reason.
 *
 * @param text the result, valid JSON
 * @param rendered the members that are shown elsewhere
 */
export function OtherMembers({
  text,
  rendered,
  isFailed = false,
}: {
  readonly text: string;
  readonly rendered: readonly string[];
  readonly isFailed?: boolean;
}) {
  const members = useMemo(
    () => [...memberTexts(text)].filter(([name]) => !rendered.includes(name)),
    [text, rendered],
  );
  if (members.length === 0) return null;
  return (
    <div role="group" aria-label="Other members of the result" className="flex flex-col gap-1 text-sm">
      {members.slice(0, MAX_MEMBERS).map(([name, raw]) => (
        <Member key={name} name={name} raw={raw} isOpenAtFirst={isFailed && /^[[{]/.test(raw)} />
      ))}
      {members.length > MAX_MEMBERS && (
        <p className="text-mute">and {formatCount(members.length - MAX_MEMBERS)} more, see Raw</p>
      )}
    </div>
  );
}

function Member({
  name,
  raw,
  isOpenAtFirst,
}: {
  readonly name: string;
  readonly raw: string;
  readonly isOpenAtFirst: boolean;
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const summary = useMemo(() => summaryOf(raw), [raw]);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit max-w-full truncate text-mute hover:text-text">
        <span className="mono">{visibleLine(name)}</span>: {visibleLine(summary)}
      </summary>
      {isOpen && (
        <JsonText raw={raw} className="mt-1 rounded-ui border border-line bg-raise px-2.5 py-2 text-base" />
      )}
    </details>
  );
}

/** Characters of a summary; more than fit on a line. */
const MAX_SUMMARY = 200;

/** What a value holds: the names of an object's members, the length of a list, the value of anything else. */
function summaryOf(raw: string): string {
  const value: unknown = JSON.parse(raw);
  if (Array.isArray(value)) return formatQuantity(value.length, 'element');
  const names = isObject(value) ? Object.keys(value).join(', ') : '';
  return (names === '' ? raw : names).slice(0, MAX_SUMMARY);
}
