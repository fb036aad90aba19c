import { ChevronRight } from 'lucide-react';
import { memo, useId, useMemo, useState } from 'react';
import { useCompletion } from '#model/completion.ts';
import { selectTraceRow, showResource } from '#model/selection.ts';
import { canSend, type SessionStatus } from '#model/sessions.ts';
import { formatDuration } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { SuggestedField } from '#ui/suggested-field.tsx';
import { visibleLine } from '#ui/visible.ts';
import {
  openTemplate,
  readResource,
  type TemplateLine,
  useResourcesState,
  useTemplateValues,
} from './resources-state.ts';
import { expandedUri, expandTemplate, type TemplateVariable, templateVariables } from './uri-template.ts';

/** A resource template: folded, or with a field for each of its variables (MCP resources, resource templates). */
export const TemplateForm = memo(function TemplateForm({
  session,
  line,
}: {
  readonly session: SessionStatus;
  readonly line: TemplateLine;
}) {
  const { serverId } = session;
  const isOpen = useResourcesState(({ template }) => template[serverId] === line.key);
  const bodyId = useId();
  const { entry, title, name } = line;
  const [values, change] = useTemplateValues(serverId, line.key);
  const shown = name ?? title;
  return (
    <div className="px-2">
      <button
        type="button"
        aria-expanded={isOpen}
        {...(isOpen && { 'aria-controls': bodyId })}
        title={visibleLine(title)}
        onClick={() => openTemplate(serverId, isOpen ? null : line.key)}
        className="flex min-h-row w-full items-center gap-1 rounded-ui text-left hover:bg-hover/60"
      >
        <ChevronRight aria-hidden className={cx('size-3 shrink-0 text-faint', isOpen && 'rotate-90')} />
        <span className={cx('mono min-w-0 flex-1', isOpen ? '[overflow-wrap:anywhere]' : 'truncate')}>
          {entry.usable && isOpen ? <Expansion template={shown} values={values} /> : visibleLine(shown)}
        </span>
        {!entry.usable && <span className="text-xs text-warn">bad</span>}
      </button>
      {isOpen && (
        <div id={bodyId} className="flex flex-col gap-2 pt-1 pr-1 pb-3 pl-4">
          {entry.usable ? (
            <Variables
              session={session}
              template={entry.template.uriTemplate}
              values={values}
              onChange={change}
            />
          ) : (
            <PlainText text={entry.error} className="text-sm text-warn" />
          )}
          {entry.usable && entry.template.description !== undefined && (
            <PlainText text={entry.template.description} className="text-sm text-mute" />
          )}
        </div>
      )}
    </div>
  );
});

/** The template with its values filled in. */
function Expansion({
  template,
  values,
}: {
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
}) {
  return expandTemplate(template, values, true).map(({ text, isExpression }, index) =>
    isExpression ? (
      // Parts have no ids, and keep their order.
      // oxlint-disable-next-line react/no-array-index-key
      <span key={index} className="rounded-sm bg-accent/15 px-px text-accent">
        {visibleLine(text)}
      </span>
    ) : (
      visibleLine(text)
    ),
  );
}

function Variables({
  session,
  template,
  values,
  onChange,
}: {
  readonly session: SessionStatus;
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
}) {
  const variables = useMemo(() => templateVariables(template), [template]);
  const uri = expandedUri(template, values);
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(submit) => {
        submit.preventDefault();
        if (!canSend(session)) return;
        showResource(session.serverId, uri);
        void readResource(session.id, uri);
      }}
    >
      {variables.map((variable) => (
        <VariableField
          key={variable.name}
          session={session}
          template={template}
          variable={variable}
          values={values}
          onChange={onChange}
        />
      ))}
      <div className="flex items-center gap-1">
        <Button type="submit" size="small" variant="primary" disabled={!canSend(session)}>
          Read
        </Button>
        <CopyButton text={uri} label="Copy the expanded URI" />
      </div>
    </form>
  );
}

function VariableField({
  session,
  template,
  variable: { name, isList },
  values,
  onChange,
}: {
  readonly session: SessionStatus;
  readonly template: string;
  readonly variable: TemplateVariable;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
}) {
  const [hasFocus, setFocus] = useState(false);
  const value = values[name] ?? '';
  const completion = useCompletion(
    session,
    hasFocus ? { ref: { type: 'ref/resource', uri: template }, argument: name, value, others: values } : null,
  );
  const call = completion?.call;
  return (
    <SuggestedField
      label={name}
      hint={isList ? 'separated by commas' : undefined}
      value={value}
      onChange={(entered) => onChange(name, entered)}
      suggestions={completion}
      details={
        call && (
          <>
            {call.duration !== null && formatDuration(call.duration)}
            <RowLink row={call.requestRow} onOpen={(row) => selectTraceRow(session.id, row)} />
          </>
        )
      }
      onFocusChange={setFocus}
    />
  );
}
