import { Check, TriangleAlert } from 'lucide-react';
import type { RootState } from '#shared/contract/roots.ts';
import { cx } from './cx.ts';
import { VisibleText } from './plain-text.tsx';
import { visibleLine } from './visible.ts';

/** A root as declared, with what is there once that is known. */
export function RootLine({
  uri,
  name,
  state,
}: {
  readonly uri: string;
  readonly name: string | null;
  readonly state: RootState | null;
}) {
  return (
    <li>
      <span className="mono [overflow-wrap:anywhere]">
        <VisibleText text={uri} />
      </span>
      {name !== null && (
        <span className="text-mute">
          {' '}
          <VisibleText text={name} />
        </span>
      )}
      {state !== null && <RootStateText state={state} />}
    </li>
  );
}

/** What is at a root, in a few words: whether a server can work there, and where its links lead. */
export function RootStateText({ state, id }: { readonly state: RootState; readonly id?: string }) {
  const { condition, path, realPath } = state;
  const isFine = condition === 'folder';
  const Icon = isFine ? Check : TriangleAlert;
  return (
    <p id={id} className={cx('flex items-start gap-1 text-xs', isFine ? 'text-in' : 'text-warn')}>
      <Icon aria-hidden className="mt-0.5 size-3 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {conditionLabels[condition]}
        {realPath !== null && realPath !== withoutEnd(path) && (
          <>
            {' · leads to '}
            <span className="mono">{visibleLine(realPath)}</span>
          </>
        )}
      </span>
    </p>
  );
}

const conditionLabels: Readonly<Record<RootState['condition'], string>> = {
  folder: 'exists',
  missing: 'There is no such folder on this machine.',
  'not-a-folder': 'This is a file, not a folder.',
  unreadable: 'This folder cannot be read by Sightglass.',
  'parent-segment': 'The path has a .. segment, which servers resolve in different ways.',
  'not-a-file-uri': 'This is not a file:// URI of this machine, which the specification requires for roots.',
};

/** A URI may end with a slash; real paths do not. */
const withoutEnd = (path: string | null): string | null => path?.replace(/(?<=[^/\\:])[/\\]+$/, '') ?? null;
