import type { OpenedTrace } from '#shared/contract/traces.ts';
import { formatBytes } from '#shared/format.ts';
import { ProgressBar } from '../progress-bar.tsx';

/** How far the file was read, and whether its messages were looked at for findings. */
export function Reading({ trace: { isRead, isChecked, read, size } }: { readonly trace: OpenedTrace }) {
  if (!isRead) {
    return (
      <div className="max-w-[560px]">
        <p className="text-mute">
          Reading: {formatBytes(read)} of {formatBytes(size)}. The rows below grow as they come.
        </p>
        <ProgressBar label="Reading the file" share={size === 0 ? 1 : read / size} className="mt-1.5" />
      </div>
    );
  }
  if (isChecked) return null;
  return (
    <p role="status" className="text-mute">
      Checking the messages: findings appear as they are found.
    </p>
  );
}
