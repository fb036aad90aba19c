import { explainParameter, NOT_REGISTERED, type ParameterPlace } from '#shared/authorization/parameters.ts';
import { MAX_BODY } from '#shared/contract/authorization.ts';
import { cx } from '#ui/cx.ts';
import { Tooltip } from '#ui/tooltip.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The name of a parameter. Hovered or focused, it says what the parameter is for, and where that is defined. */
export function ParameterName({
  place,
  name,
  className,
}: {
  readonly place: ParameterPlace | null;
  readonly name: string;
  readonly className?: string;
}) {
  const look = cx('mono min-w-0 max-w-full truncate text-left', className);
  if (place === null)
    return (
      <span title={visibleLine(name)} className={look}>
        {visibleLine(name)}
      </span>
    );
  return (
    <Tooltip side="left" text={<Help place={place} name={name} />}>
      <button
        type="button"
        className={cx(
          look,
          'cursor-help rounded-sm underline decoration-line-strong decoration-dotted underline-offset-[3px]',
        )}
      >
        {visibleLine(name)}
      </button>
    </Tooltip>
  );
}

function Help({ place, name }: { readonly place: ParameterPlace; readonly name: string }) {
  const explained = explainParameter(place, name);
  return (
    <span className="block max-w-72">
      <span className="mono font-semibold break-all">{visibleLine(name)}</span>:{' '}
      {explained === null ? (
        NOT_REGISTERED
      ) : (
        <>
          {explained.text} <span className="text-mute">{explained.source}</span>
        </>
      )}
    </span>
  );
}

/** The members of a JSON body, each with what it is for; nothing for another body. */
export function MembersExplained({
  body,
  place,
}: {
  readonly body: string | null;
  readonly place: ParameterPlace | null;
}) {
  const names = place === null ? [] : memberNames(body);
  if (place === null || names.length === 0) return null;
  return (
    <details className="mt-2 border-t border-line pt-2">
      <summary className="text-mute">What the members are for</summary>
      <dl aria-label="Members explained" className="mt-1 flex flex-col gap-1">
        {names.map((name) => {
          const explained = explainParameter(place, name);
          return (
            <div key={name}>
              <dt className="mono text-key [overflow-wrap:anywhere]">{visibleLine(name)}</dt>
              <dd className="text-mute">
                {explained === null ? (
                  NOT_REGISTERED
                ) : (
                  <>
                    {explained.text} <span className="text-xs text-faint">{explained.source}</span>
                  </>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </details>
  );
}

/** Limit of members that are explained. */
const MAX_MEMBERS = 200;

function memberNames(body: string | null): readonly string[] {
  if (body === null || body.length >= MAX_BODY) return [];
  try {
    const value: unknown = JSON.parse(body);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? Object.keys(value).slice(0, MAX_MEMBERS) : [];
  } catch {
    // The body is shown as it is.
    return [];
  }
}
