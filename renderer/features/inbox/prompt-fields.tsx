import { Button } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { TextArea, TextField } from '#ui/field.tsx';
import { visibleLine } from '#ui/visible.ts';
import { type PromptDraft, textKey } from './prompt-draft.ts';
import type { Sampling } from './read-question.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** Changes the prompt, and says what was changed. */
export function PromptBar({
  changes,
  isEditing,
  onEdit,
  onRestore,
  text,
}: {
  /** What differs from the request. */
  readonly changes: readonly string[];
  readonly isEditing: boolean;
  readonly onEdit: (isEditing: boolean) => void;
  readonly onRestore: () => void;
  readonly text: string;
}) {
  return (
    <div className="mt-2 flex flex-wrap items-center gap-1.5">
      <Button size="small" aria-pressed={isEditing} onClick={() => onEdit(!isEditing)}>
        {isEditing ? 'Done' : 'Edit the prompt'}
      </Button>
      <CopyButton text={text} label="Copy the prompt" />
      {changes.length > 0 && (
        <>
          <Chip tone="warn">changed: {changes.join(', ')}</Chip>
          <Button size="small" variant="quiet" onClick={onRestore}>
            Restore
          </Button>
        </>
      )}
    </div>
  );
}

/** The parts of a prompt that the user may change before a model gets it. */
export function PromptFields({
  sampling,
  draft,
  onChange,
}: {
  readonly sampling: Sampling;
  readonly draft: PromptDraft;
  readonly onChange: (part: Partial<PromptDraft>) => void;
}) {
  const { systemPrompt = '', messages, maxTokens, temperature, stopSequences = [] } = sampling;
  const requested = (value: number | undefined) => (value === undefined ? '' : String(value));
  return (
    <div className="mt-2 flex flex-col gap-2.5">
      <TextArea
        label="System prompt"
        hint="empty to leave it out"
        value={draft.systemPrompt ?? systemPrompt}
        onChange={(text) => onChange({ systemPrompt: text })}
      />
      {messages.flatMap(({ role, content }, at) =>
        content.map((block, index) => {
          if (!isObject(block) || typeof block.text !== 'string') return null;
          const key = textKey(at, index);
          return (
            <TextArea
              key={key}
              label={`Message ${at + 1}`}
              hint={visibleLine(role)}
              value={draft.texts[key] ?? block.text}
              onChange={(text) => onChange({ texts: { ...draft.texts, [key]: text } })}
            />
          );
        }),
      )}
      <div className="grid grid-cols-2 gap-2.5">
        <TextField
          label="Max tokens"
          inputMode="numeric"
          mono
          value={draft.maxTokens ?? requested(maxTokens)}
          error={numberError(draft.maxTokens)}
          onChange={(text) => onChange({ maxTokens: text })}
        />
        <TextField
          label="Temperature"
          inputMode="decimal"
          mono
          value={draft.temperature ?? requested(temperature)}
          error={numberError(draft.temperature)}
          onChange={(text) => onChange({ temperature: text })}
        />
      </div>
      <TextArea
        label="Stop sequences"
        hint="one on each line"
        mono
        rows={2}
        value={draft.stopSequences ?? stopSequences.join('\n')}
        onChange={(text) => onChange({ stopSequences: text })}
      />
    </div>
  );
}

const numberError = (entered: string | undefined): string | undefined =>
  entered === undefined || Number.isFinite(Number(entered)) ? undefined : 'Not a number: it is left out.';
