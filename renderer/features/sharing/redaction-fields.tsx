import { TriangleAlert, Plus, X } from 'lucide-react';
import { useId } from 'react';
import { messageOf } from '#shared/contract/fault.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Checkbox, FieldError, Input } from '#ui/field.tsx';

/** What to replace in the file, so that it can be shared. */
export function RedactionFields({
  isOn,
  onToggle,
  drafts,
  onChange,
  onCommit,
}: {
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly drafts: readonly PatternDraft[];
  readonly onChange: (drafts: readonly PatternDraft[]) => void;
  readonly onCommit: (drafts: readonly PatternDraft[]) => void;
}) {
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Checkbox label="Replace secrets" checked={isOn} onChange={onToggle} className="font-medium" />
        {isOn ? (
          <p className="mt-0.5 text-xs text-faint">
            Tokens, cookies and credentials in headers, addresses, environment variables and members named
            like secrets. Placeholders say what was there; equal values get equal placeholders.
          </p>
        ) : (
          <p role="note" className="mt-1 flex items-start gap-1.5 text-warn">
            <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            <span>
              The file will contain everything as it was recorded, including tokens and passwords in
              arguments, results, addresses and stderr. Only what was replaced while recording, such as
              Authorization headers and cookies, stays replaced. Share it only with people you trust with
              these secrets.
            </span>
          </p>
        )}
      </div>
      {isOn && <PatternFields drafts={drafts} onChange={onChange} onCommit={onCommit} />}
    </div>
  );
}

/** The user's own patterns of what exports leave out, as regular expressions. */
export function PatternFields({
  drafts,
  onChange,
  onCommit,
}: {
  readonly drafts: readonly PatternDraft[];
  readonly onChange: (drafts: readonly PatternDraft[]) => void;
  /** Editing paused: the patterns can be saved. */
  readonly onCommit: (drafts: readonly PatternDraft[]) => void;
}) {
  const set = (id: number, text: string) =>
    onChange(drafts.map((draft) => (draft.id === id ? { ...draft, text } : draft)));
  const remove = (id: number) => {
    const others = drafts.filter((draft) => draft.id !== id);
    onChange(others);
    onCommit(others);
  };
  return (
    <fieldset>
      <legend className="font-medium">Your patterns</legend>
      <p className="text-xs text-faint">
        Regular expressions; matches are replaced too. Saved for the next export.
      </p>
      <div className="mt-1.5 flex flex-col gap-1.5">
        {drafts.map((draft, index) => (
          <PatternField
            key={draft.id}
            name={`Pattern ${index + 1}`}
            text={draft.text}
            isNew={draft.text === ''}
            onChange={(text) => set(draft.id, text)}
            onCommit={() => onCommit(drafts)}
            onRemove={() => remove(draft.id)}
          />
        ))}
        <div>
          <Button
            variant="quiet"
            size="small"
            icon={<Plus aria-hidden className="size-3.5" />}
            onClick={() => onChange([...drafts, newDraft('')])}
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
  onCommit,
  onRemove,
}: {
  readonly name: string;
  readonly text: string;
  readonly isNew: boolean;
  readonly onChange: (text: string) => void;
  readonly onCommit: () => void;
  readonly onRemove: () => void;
}) {
  const errorId = useId();
  const error = patternError(text);
  return (
    <div>
      <div className="flex items-center gap-1">
        <Input
          aria-label={name}
          aria-invalid={error === null ? undefined : true}
          aria-describedby={error === null ? undefined : errorId}
          // Just added by the button below.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={isNew}
          value={text}
          placeholder={String.raw`such as customer-\d+`}
          onChange={({ target }) => onChange(target.value)}
          onBlur={onCommit}
          onKeyDown={(press) => {
            if (press.key !== 'Enter' || press.ctrlKey || press.metaKey) return;
            press.preventDefault();
            onCommit();
          }}
          className="mono"
        />
        <IconButton size="small" label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
          <X aria-hidden className="size-3.5" />
        </IconButton>
      </div>
      {error !== null && <FieldError id={errorId}>{error}</FieldError>}
    </div>
  );
}

export interface PatternDraft {
  readonly id: number;
  readonly text: string;
}

let lastId = 0;

export const newDraft = (text: string): PatternDraft => ({ id: ++lastId, text });

/** Why a pattern is invalid, in one sentence; null when it is valid. */
export function patternError(text: string): string | null {
  try {
    void new RegExp(text, 'g');
    return null;
  } catch (error) {
    // `Invalid regular expression: /a(/g: Unterminated group`
    const reason = messageOf(error).split(': ').at(-1) ?? '';
    return `Not a valid regular expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}.`;
  }
}

/** The patterns to use; null while one of them is invalid. */
export function patternsOf(drafts: readonly PatternDraft[]): string[] | null {
  const texts = drafts.map(({ text }) => text).filter((text) => text !== '');
  return texts.some((text) => patternError(text) !== null) ? null : [...new Set(texts)];
}
