import { useEffect, useRef } from 'react';
import { formatQuantity } from '#shared/format.ts';
import type { Draft } from '../draft/draft.ts';
import type { FieldProps } from '../field-props.ts';
import { Folded } from '../folded.tsx';
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
  const heading = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    heading.current?.scrollIntoView({ block: 'start' });
    heading.current?.focus();
  }, [isWanted]);
  const { client } = draft;
  const part = {
    draft: client,
    errors,
    judge,
    change: (changed: Partial<ClientDraft>) => change({ client: { ...client, ...changed } }),
  };
  return (
    <Folded
      title="What we tell this server"
      summary={summaryOf(client)}
      startsOpen={isWanted}
      hasErrors={Object.keys(errors).some((place) => place.startsWith('client.'))}
      headingRef={heading}
      className="grid gap-x-8 gap-y-3.5 lg:grid-cols-2"
    >
      <AnnouncedField {...part} era={draft.era} revision={draft.revision.trim()} />
      <div className="flex min-w-0 flex-col gap-3.5">
        <RootFields {...part} />
        <RuleFields {...part} />
      </div>
    </Folded>
  );
}

const summaryOf = ({ announces, roots, rules }: ClientDraft): string =>
  [
    announces === 'all' ? 'all capabilities' : 'capabilities of your own',
    roots.length === 0 ? 'no roots' : formatQuantity(roots.length, 'root'),
    rules.length === 0 ? 'no rules' : formatQuantity(rules.length, 'rule'),
  ].join(' · ');
