import { type UsualFilter, usualFilters } from '#shared/trace/filter/index.ts';
import { cx } from '#ui/cx.ts';
import { Tooltip } from '#ui/tooltip.tsx';
import { hasTerm, toggleTerm } from './filter-terms.ts';

/** Always visible; the others are in the menu. */
const inSight: readonly UsualFilter[] = usualFilters.filter(({ text }) =>
  ['is:error', 'finding:any', 'is:ask'].includes(text),
);

/** The usual filters, each to be added to the filter or taken out of it by a click. */
export function FilterChips({
  text,
  onChange,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  return (
    <div role="group" aria-label="Usual filters" className="trace-chips flex shrink-0 gap-1">
      {inSight.map((usual) => (
        <Tooltip key={usual.text} text={`${usual.hint}: ${usual.text}`}>
          <button
            type="button"
            aria-pressed={hasTerm(text, usual.text)}
            onClick={() => onChange(toggleTerm(text, usual.text))}
            className={cx(
              'h-[20px] rounded-full border px-2 text-xs whitespace-nowrap',
              hasTerm(text, usual.text)
                ? 'border-accent bg-accent-soft text-text'
                : 'border-line text-mute hover:border-line-strong hover:text-text',
            )}
          >
            {usual.label}
          </button>
        </Tooltip>
      ))}
    </div>
  );
}
