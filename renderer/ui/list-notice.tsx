import { X } from 'lucide-react';
import type { ListChanges } from '#shared/list-changes.ts';
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
  const { added, removed, changed } = changes;
  const counts = [
    [added.length, 'added'],
    [removed.length, 'removed'],
    [changed.length, 'changed'],
  ] as const;
  return (
    <div
      role="status"
      aria-label={`Changes to the ${of} list`}
      className="mx-2 mb-2 flex max-h-[45%] shrink-0 items-start gap-1 overflow-y-auto rounded-ui border border-line border-l-2 border-l-warn bg-panel py-1 pr-1 pl-2 text-sm"
    >
      <details className="min-w-0 flex-1">
        <summary className="leading-6">
          {of.charAt(0).toUpperCase() + of.slice(1)}s:{' '}
          {counts
            .filter(([count]) => count > 0)
            .map(([count, what]) => `${count} ${what}`)
            .join(', ')}
        </summary>
        <ul className="flex flex-col gap-1 pr-1 pb-1">
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
                  <span className="text-warn">~</span>{' '}
                  <PlainText inline text={name} className="mono text-text" />: {members.join(', ')} changed
                </summary>
                <div className="caption mt-1">Before</div>
                <JsonText raw={before} />
                <div className="caption mt-1">Now</div>
                <JsonText raw={after} />
              </details>
            </li>
          ))}
        </ul>
      </details>
      <IconButton label="Dismiss" size="small" onClick={onDismiss}>
        <X aria-hidden className="size-3.5" />
      </IconButton>
    </div>
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
