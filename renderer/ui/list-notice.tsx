import { X } from 'lucide-react';
import type { ListChanges } from '#shared/contract/definitions.ts';
import { IconButton } from './button.tsx';
import { JsonText } from './json-text.tsx';
import { PlainText } from './plain-text.tsx';

/** Says which entries of a list changed since the user last looked. */
export function ListNotice({
  of,
  changes,
  onDismiss,
}: {
  /** What the list has, such as `tool`. */
  readonly of: string;
  readonly changes: ListChanges;
  readonly onDismiss: () => void;
}) {
  return (
    <div
      role="status"
      aria-label={`Changes to the ${of} list`}
      className="mx-2 mb-2 flex max-h-[45%] shrink-0 items-start gap-1 overflow-y-auto rounded-ui border border-line border-l-2 border-l-warn bg-panel py-1 pr-1 pl-2 text-sm"
    >
      <details className="min-w-0 flex-1">
        <summary className="leading-6">
          {of.charAt(0).toUpperCase() + of.slice(1)}s: {changeCounts(changes)}
        </summary>
        <ChangeList changes={changes} />
      </details>
      <IconButton label="Dismiss" size="small" onClick={onDismiss}>
        <X aria-hidden className="size-3.5" />
      </IconButton>
    </div>
  );
}

/** Such as `1 added, 2 changed`. */
export const changeCounts = ({ added, removed, changed }: ListChanges): string =>
  [
    [added.length, 'added'] as const,
    [removed.length, 'removed'] as const,
    [changed.length, 'changed'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}`)
    .join(', ');

/** Each change, with the definitions before and now of what changed. */
export function ChangeList({ changes: { added, removed, changed } }: { readonly changes: ListChanges }) {
  return (
    <ul className="@container flex flex-col gap-1 pr-1 pb-1">
      {added.map((name) => (
        <Change key={name} sign="+" tone="text-in" name={name} said="added" />
      ))}
      {removed.map((name) => (
        <Change key={name} sign="−" tone="text-err" name={name} said="removed" />
      ))}
      {changed.map(({ name, members, before, after }) => (
        <li key={name}>
          <details>
            <summary className="text-mute">
              <span className="text-warn">~</span> <PlainText inline text={name} className="mono text-text" />
              : {members.join(', ')} changed
            </summary>
            <div className="grid gap-x-3 @min-[560px]:grid-cols-2">
              <div className="min-w-0">
                <div className="caption mt-1">Before</div>
                <JsonText raw={before} />
              </div>
              <div className="min-w-0">
                <div className="caption mt-1">Now</div>
                <JsonText raw={after} />
              </div>
            </div>
          </details>
        </li>
      ))}
    </ul>
  );
}

function Change({
  sign,
  tone,
  name,
  said,
}: {
  readonly sign: string;
  readonly tone: string;
  readonly name: string;
  readonly said: string;
}) {
  return (
    <li className="text-mute">
      <span className={tone}>{sign}</span> <PlainText inline text={name} className="mono text-text" /> {said}
    </li>
  );
}
