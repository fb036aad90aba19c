import { useMemo, useRef, useState } from 'react';
import { useCompletion } from '#model/completion.ts';
import { useCommands } from '#model/commands.ts';
import { selectTraceRow, useNotConnectedReason } from '#model/selection.ts';
import { canSend, type SessionStatus } from '#model/sessions.ts';
import type { Prompt } from '#shared/contract/catalog.ts';
import { formatDuration } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { Description, DetailHeading } from '#ui/detail-heading.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { SuggestedField } from '#ui/suggested-field.tsx';
import { AdviceLine } from '#ui/schema-form/validation-line.tsx';
import { visibleLine } from '#ui/visible.ts';
import { getPrompt, type PromptLine, promptParams, usePromptValues } from './prompts-state.ts';

type Argument = NonNullable<Prompt['arguments']>[number];

/** The id of the form on screen. */
export const PROMPT_FORM = 'prompt-form';

/** A prompt's description, and a field for each of its arguments. */
export function PromptColumn({
  session,
  line,
}: {
  readonly session: SessionStatus;
  readonly line: PromptLine;
}) {
  const { entry, name, title } = line;
  const [values, change] = usePromptValues(session.serverId, line);
  const [isOpen, setOpen] = useState(false);
  const column = useRef<HTMLDivElement>(null);
  const isConnected = canSend(session);
  const args = entry.usable ? (entry.prompt.arguments ?? []) : [];
  const missing = args.filter((one) => one.required === true && (values[one.name] ?? '') === '');
  const get = name === null || !isConnected ? null : () => void getPrompt(session.id, name, values);
  useCommands(
    get === null
      ? []
      : [
          {
            id: 'prompt.get',
            title: `Get ${title}`,
            group: 'Prompts',
            shortcut: 'Mod+Enter',
            within: () => column.current,
            run: get,
          },
        ],
  );
  return (
    <div
      ref={column}
      id={PROMPT_FORM}
      data-main
      tabIndex={-1}
      className="flex h-full min-h-0 flex-col overflow-y-auto px-4 pt-3 outline-none"
    >
      <div className="mb-2">
        <DetailHeading
          title={title}
          name={name}
          raw={entry.raw}
          actions={name !== null && <CopyButton text={name} label="Copy the name" />}
        />
        {entry.usable && entry.prompt.description !== undefined && (
          <Description text={entry.prompt.description} />
        )}
      </div>
      {!entry.usable && (
        <FaultCard
          fault={{
            code: 'bad-prompt',
            what: 'This entry does not match the specification’s definition of a prompt.',
            why: entry.error,
            ...(name !== null && { next: 'It can still be requested, without arguments.' }),
          }}
        />
      )}
      {name !== null && (
        <form
          className="flex flex-col gap-3"
          onSubmit={(submit) => {
            submit.preventDefault();
            get?.();
          }}
        >
          {args.map((one, index) => (
            <ArgumentField
              // Names of a server may repeat.
              // oxlint-disable-next-line react/no-array-index-key
              key={`${index} ${one.name}`}
              session={session}
              prompt={name}
              argument={one}
              values={values}
              onChange={change}
            />
          ))}
          <div className="sticky bottom-0 -mx-4 flex flex-col gap-2 bg-bg px-4 pt-1 pb-2.5">
            <Advice isConnected={isConnected} missing={missing} />
            <div className="flex items-center gap-1">
              <Button type="submit" data-run variant="primary" shortcut="Mod+Enter" disabled={get === null}>
                {missing.length === 0 ? 'Get prompt' : 'Get anyway'}
              </Button>
              <CopyButton
                text={`{"method":"prompts/get","params":${promptParams(name, values)}}`}
                label="Copy the request"
              />
            </div>
          </div>
        </form>
      )}
      <details className="mt-auto pt-4 pb-3" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="w-fit text-sm text-mute hover:text-text">Whole entry</summary>
        {isOpen && (
          <JsonText raw={entry.raw} className="mt-1 rounded-ui border border-line bg-raise px-2.5 py-2" />
        )}
      </details>
    </div>
  );
}

function Advice({
  isConnected,
  missing,
}: {
  readonly isConnected: boolean;
  readonly missing: readonly Argument[];
}) {
  const reason = useNotConnectedReason('get this prompt');
  if (!isConnected) return <AdviceLine tone="mute">{reason}</AdviceLine>;
  if (missing.length === 0) return null;
  const names = missing.map(({ name }) => visibleLine(name)).join(', ');
  return <AdviceLine tone="mute">Required and empty: {names}</AdviceLine>;
}

function ArgumentField({
  session,
  prompt,
  argument: { name, title, description, required },
  values,
  onChange,
}: {
  readonly session: SessionStatus;
  readonly prompt: string;
  readonly argument: Argument;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (name: string, value: string) => void;
}) {
  const [hasFocus, setFocus] = useState(false);
  const value = values[name] ?? '';
  const completion = useCompletion(
    session,
    hasFocus ? { ref: { type: 'ref/prompt', name: prompt }, argument: name, value, others: values } : null,
  );
  const note = useMemo(
    () => (description === undefined ? undefined : <PlainText inline text={description} />),
    [description],
  );
  const call = completion?.call;
  return (
    <SuggestedField
      label={name}
      required={required === true}
      hint={title === undefined || title === name ? undefined : visibleLine(title)}
      note={note}
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
