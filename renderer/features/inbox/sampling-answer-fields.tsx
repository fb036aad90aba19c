import { Plus, X } from 'lucide-react';
import { type ReactNode, type Ref, useId, useMemo, useState } from 'react';
import { useSettings } from '#model/settings.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { SelectBox, TextArea, TextField } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { readJson, writeJson } from '#ui/schema-form/exact-json.ts';
import { AdviceLine } from '#ui/schema-form/validation-line.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { AnswerDraft } from './answer-draft.ts';
import { type AnswerHandle, FocusPlace, SentAnswer } from './form-answer.tsx';
import { Part } from './pane-layout.tsx';
import type { Sampling } from './read-question.ts';
import {
  readSamplingAnswer,
  type SamplingAnswer,
  stopReasons,
  type ToolUse,
  withoutToolUse,
  withToolUse,
  writeSamplingAnswer,
} from './sampling-answer.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** The answer to sampling: its text, and beside it what a client tells of its model. */
export function SamplingAnswerFields({
  sampling,
  draft,
  json,
  ref,
}: {
  readonly sampling: Sampling;
  readonly draft: AnswerDraft;
  /** The editor of the answer as JSON, in place of the fields where they cannot show it. */
  readonly json: ReactNode;
  readonly ref: Ref<AnswerHandle>;
}) {
  const fields = useMemo(() => readSamplingAnswer(draft.text), [draft.text]);
  const modelNames = useSettings((settings) => settings.modelNames);
  const listId = useId();
  if (!fields.ok) {
    return (
      <div className="flex flex-col gap-1.5">
        <AdviceLine tone="warn">
          <PlainText inline text={`The fields cannot show this: ${fields.reason} It is written as JSON.`} />
        </AdviceLine>
        {json}
      </div>
    );
  }
  const { answer, result } = fields;
  const write = (changed: SamplingAnswer) => draft.write(writeSamplingAnswer(changed, result));
  const change = (part: Partial<SamplingAnswer>) => write({ ...answer, ...part });
  const tools = toolNames(sampling);
  return (
    <>
      <FocusPlace ref={ref}>
        <TextArea
          label="Text"
          rows={6}
          spellCheck
          value={answer.text}
          onChange={(text) => change({ text })}
        />
        <div className="mt-2.5 grid grid-cols-[repeat(auto-fit,minmax(130px,1fr))] gap-2.5">
          <TextField
            label="Model"
            mono
            list={`${listId}-models`}
            value={answer.model}
            onChange={(model) => change({ model })}
          />
          <TextField
            label="Stop reason"
            mono
            list={`${listId}-reasons`}
            placeholder="none"
            value={answer.stopReason}
            onChange={(stopReason) => change({ stopReason })}
          />
          <div>
            <div className="mb-1 font-medium">Role</div>
            <SelectBox
              aria-label="Role"
              value={answer.role}
              options={[...new Set(['assistant', 'user', answer.role])].map((role) => ({
                value: role,
                label: visibleLine(role) || 'none',
              }))}
              onChange={(role) => change({ role })}
            />
          </div>
        </div>
        <Suggestions id={`${listId}-models`} values={modelNames} />
        <Suggestions id={`${listId}-reasons`} values={stopReasons} />
        {(tools.length > 0 || answer.toolUses.length > 0) && (
          <ToolUses
            tools={tools}
            uses={answer.toolUses}
            onAdd={(name) => write(withToolUse(answer, name))}
            onRemove={(index) => write(withoutToolUse(answer, index))}
            onInput={(index, input) =>
              change({
                toolUses: answer.toolUses.map((use, at) => (at === index ? { ...use, input } : use)),
              })
            }
          />
        )}
      </FocusPlace>
      <SentAnswer text={draft.text} />
    </>
  );
}

/** The names of the tools that the server lets the model use. */
const toolNames = ({ tools = [] }: Sampling): string[] =>
  tools.flatMap((tool) => (isObject(tool) && typeof tool.name === 'string' ? [tool.name] : []));

const Suggestions = ({ id, values }: { readonly id: string; readonly values: readonly string[] }) => (
  <datalist id={id}>
    {values.map((value) => (
      <option key={value} value={value}>
        {value}
      </option>
    ))}
  </datalist>
);

/** Tools that the answer asks the server to use (MCP 2025-11-25 sampling, tool use). */
function ToolUses({
  tools,
  uses,
  onAdd,
  onRemove,
  onInput,
}: {
  readonly tools: readonly string[];
  readonly uses: readonly ToolUse[];
  readonly onAdd: (name: string) => void;
  readonly onRemove: (index: number) => void;
  readonly onInput: (index: number, input: unknown) => void;
}) {
  const [chosen, setChosen] = useState(tools[0] ?? '');
  return (
    <Part name="Uses of tools">
      <ul className="flex flex-col gap-2 empty:hidden">
        {uses.map((use, index) => (
          <li key={use.id} className="flex items-end gap-1.5">
            <ToolInput use={use} onInput={(input) => onInput(index, input)} />
            <IconButton label={`Remove the use ${use.id}`} onClick={() => onRemove(index)}>
              <X aria-hidden className="size-3.5" />
            </IconButton>
          </li>
        ))}
      </ul>
      {tools.length > 0 && (
        <div className="mt-1.5 flex items-center gap-1.5">
          <SelectBox
            aria-label="Tool to use"
            size="small"
            className="min-w-0"
            value={chosen}
            options={tools.map((name) => ({ value: name, label: visibleLine(name) }))}
            onChange={setChosen}
          />
          <Button size="small" icon={<Plus aria-hidden className="size-3" />} onClick={() => onAdd(chosen)}>
            Use the tool
          </Button>
        </div>
      )}
    </Part>
  );
}

/** The input of a tool as JSON. The typed text stays as long as the field does. */
function ToolInput({ use, onInput }: { readonly use: ToolUse; readonly onInput: (input: unknown) => void }) {
  const [typed, setTyped] = useState(() => writeJson(use.input));
  const read = readJson(typed);
  const isObjectText = read.ok && isObject(read.value);
  return (
    <TextArea
      label={<span className="mono">{visibleLine(use.name)}</span>}
      hint={<span className="mono">{visibleLine(use.id)}</span>}
      mono
      rows={2}
      className="min-w-0 flex-1"
      value={typed}
      error={isObjectText ? undefined : 'The input of a tool is a JSON object.'}
      onChange={(text) => {
        setTyped(text);
        const next = readJson(text);
        onInput(next.ok ? next.value : text);
      }}
    />
  );
}
