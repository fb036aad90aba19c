import { ChevronRight } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { formatQuantity } from '#shared/format.ts';
import { cx } from '#ui/cx.ts';
import type { Draft } from '../draft/draft.ts';
import type { FieldProps } from '../field-props.ts';
import { AnnouncedField } from './announced-field.tsx';
import type { ClientDraft } from './client-draft.ts';
import { RootFields } from './root-fields.tsx';
import { RuleFields } from './rule-fields.tsx';

/** What we announce to a server and how its questions are answered; folded away, for the defaults suit most. */
export function ClientFields({
  draft,
  errors,
  change,
  judge,
  isWanted,
}: FieldProps<Draft> & {
  /** The user was led here. */
  readonly isWanted: boolean;
}) {
  const bodyId = useId();
  const [isUnfolded, setUnfolded] = useState(isWanted);
  const heading = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus();
  }, [isWanted]);
  const isOpen = isUnfolded || Object.keys(errors).some((place) => place.startsWith('client.'));
  const { client } = draft;
  const part = {
    draft: client,
    errors,
    judge,
    change: (changed: Partial<ClientDraft>) => change({ client: { ...client, ...changed } }),
  };
  return (
    <section aria-label="What we tell this server">
      <div className="flex items-center justify-between gap-3">
        <button
          ref={heading}
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? bodyId : undefined}
          onClick={() => setUnfolded(!isOpen)}
          className="-ml-1 flex h-6 shrink-0 items-center gap-0.5 rounded-ui pr-1.5 font-medium outline-offset-1 hover:bg-hover"
        >
          <ChevronRight aria-hidden className={cx('size-3.5 text-faint', isOpen && 'rotate-90')} />
          What we tell this server
        </button>
        <span className="min-w-0 truncate text-xs text-faint">{summaryOf(client)}</span>
      </div>
      {isOpen && (
        <div id={bodyId} className="mt-1 flex flex-col gap-3.5 border-l border-line pl-3">
          <AnnouncedField {...part} era={draft.era} revision={draft.revision.trim()} />
          <RootFields {...part} />
          <RuleFields {...part} />
        </div>
      )}
    </section>
  );
}

const summaryOf = ({ announces, roots, rules }: ClientDraft): string =>
  [
    announces === 'all' ? 'all capabilities' : 'capabilities of your own',
    roots.length === 0 ? 'no roots' : formatQuantity(roots.length, 'root'),
    rules.length === 0 ? 'no rules' : formatQuantity(rules.length, 'rule'),
  ].join(' · ');
