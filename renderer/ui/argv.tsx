import { VisibleText } from '#ui/plain-text.tsx';

/** A command and its arguments, each in a frame of its own, so that spaces and empty words show. */
export function Argv({ command, args }: { readonly command: string; readonly args: readonly string[] }) {
  return (
    <ol aria-label="Command and arguments" className="flex flex-wrap gap-1 py-0.5">
      {[command, ...args].map((word, place) => (
        <li
          key={place}
          className={`mono min-h-5 max-w-full rounded-sm border border-line bg-raise px-1.5 leading-[18px] break-all whitespace-pre-wrap ${place === 0 ? 'font-semibold text-text' : 'text-mute'}`}
        >
          {word === '' ? <i className="font-normal text-faint">empty</i> : <VisibleText text={word} />}
        </li>
      ))}
    </ol>
  );
}
