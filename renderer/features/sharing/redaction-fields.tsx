import { TriangleAlert } from 'lucide-react';
import { Checkbox } from '#ui/field.tsx';
import type { PatternDraft } from './pattern-drafts.ts';
import { PatternFields } from './pattern-fields.tsx';

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
