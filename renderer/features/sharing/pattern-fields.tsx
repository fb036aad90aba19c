import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { Button, IconButton } from '#ui/button.tsx';
import { FieldError, Input } from '#ui/field.tsx';
import { draftOf, type PatternDraft, problemOf } from './pattern-drafts.ts';

/** The user's own patterns of what exports leave out: regular expressions, one a line. */
export function PatternFields({
  drafts,
  onChange,
  onSettle,
}: {
  readonly drafts: readonly PatternDraft[];
  readonly onChange: (drafts: readonly PatternDraft[]) => void;
  /** What was edited is done with for now: it can be kept. */
  readonly onSettle: (drafts: readonly PatternDraft[]) => void;
}) {
  const set = (id: number, text: string) =>
    onChange(drafts.map((draft) => (draft.id === id ? { ...draft, text } : draft)));
  const remove = (id: number) => {
    const others = drafts.filter((draft) => draft.id !== id);
    onChange(others);
    onSettle(others);
  };
  return (
    <fieldset>
      <legend className="font-medium">Your patterns</legend>
      <p className="text-xs text-faint">
        Regular expressions: each match is left out too. Kept for the next export.
      </p>
      <div className="mt-1.5 flex flex-col gap-1.5">
        {drafts.map((draft, place) => (
          <PatternField
            key={draft.id}
            name={`Pattern ${place + 1}`}
            text={draft.text}
            isNew={draft.text === ''}
            onChange={(text) => set(draft.id, text)}
            onSettle={() => onSettle(drafts)}
            onRemove={() => remove(draft.id)}
          />
        ))}
        <div>
          <Button
            variant="quiet"
            size="small"
            icon={<Plus aria-hidden className="size-3.5" />}
            onClick={() => onChange([...drafts, draftOf('')])}
          >
            Add a pattern
          </Button>
        </div>
      </div>
    </fieldset>
  );
}

function PatternField({
  name,
  text,
  isNew,
  onChange,
  onSettle,
  onRemove,
}: {
  readonly name: string;
  readonly text: string;
  readonly isNew: boolean;
  readonly onChange: (text: string) => void;
  readonly onSettle: () => void;
  readonly onRemove: () => void;
}) {
  const errorId = useId();
  const problem = problemOf(text);
  return (
    <div>
      <div className="flex items-center gap-1">
        <Input
          aria-label={name}
          aria-invalid={problem === null ? undefined : true}
          aria-describedby={problem === null ? undefined : errorId}
          // Just added by the button under it.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={isNew}
          value={text}
          placeholder={String.raw`such as customer-\d+`}
          onChange={({ target }) => onChange(target.value)}
          onBlur={onSettle}
          onKeyDown={(press) => {
            if (press.key !== 'Enter' || press.ctrlKey || press.metaKey) return;
            press.preventDefault();
            onSettle();
          }}
          className="mono"
        />
        <IconButton size="small" label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      {problem !== null && <FieldError id={errorId}>{problem}</FieldError>}
    </div>
  );
}
