import { TriangleAlert, Plus, X } from 'lucide-react';
import { useId } from 'react';
import { messageOf } from '#shared/contract/fault.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Checkbox, FieldError, Input } from '#ui/field.tsx';

/** What is left out of the file, so that it can be given to others. */
export function RedactionFields({
  isOn,
  onToggle,
  drafts,
  onChange,
  onSettle,
}: {
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly drafts: readonly PatternDraft[];
  readonly onChange: (drafts: readonly PatternDraft[]) => void;
  readonly onSettle: (drafts: readonly PatternDraft[]) => void;
}) {
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Checkbox label="Leave out secrets" checked={isOn} onChange={onToggle} className="font-medium" />
        {isOn ? (
          <p className="mt-0.5 text-xs text-faint">
            Tokens, cookies and credentials in headers, addresses, environment and members named like secrets.
            A placeholder says what stood there; equal values get equal ones.
          </p>
        ) : (
          <p role="note" className="mt-1 flex items-start gap-1.5 text-warn">
            <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            <span>
              The file will hold everything as it was recorded, tokens and passwords in arguments, results,
              addresses and stderr too. Only what was replaced while recording, such as Authorization headers
              and cookies, stays replaced. Give it to nobody whom you would not tell these secrets.
            </span>
          </p>
        )}
      </div>
      {isOn && <PatternFields drafts={drafts} onChange={onChange} onSettle={onSettle} />}
    </div>
  );
}

/** The user's own patterns of what exports leave out: regular expressions, one a line. */
function PatternFields({
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

/** A pattern that is being edited. */
export interface PatternDraft {
  readonly id: number;
  readonly text: string;
}

let lastId = 0;

export const draftOf = (text: string): PatternDraft => ({ id: ++lastId, text });

/** What is wrong with a pattern, in one sentence; null when it can be used. */
export function problemOf(text: string): string | null {
  try {
    void new RegExp(text, 'g');
    return null;
  } catch (error) {
    // `Invalid regular expression: /a(/g: Unterminated group`
    const why = messageOf(error).split(': ').at(-1) ?? '';
    return `This is no regular expression: ${why.charAt(0).toLowerCase()}${why.slice(1)}.`;
  }
}

/** The patterns to use; null while one of them cannot be. */
export function patternsOf(drafts: readonly PatternDraft[]): string[] | null {
  const texts = drafts.map(({ text }) => text).filter((text) => text !== '');
  return texts.some((text) => problemOf(text) !== null) ? null : [...new Set(texts)];
}
