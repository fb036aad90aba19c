import { PlainText } from '#ui/plain-text.tsx';
import { JsonView, type RevealRequest } from '../json/json-view.tsx';
import { type PointerNote, useOutline } from '../json/use-outline.ts';
import type { UnitText } from './use-unit-text.ts';

/** The message over lines and in colour, to fold and to search; as it was sent when it is no JSON. */
export function MessageText({
  unit,
  notes,
  isFinding,
  onFind,
  revealed,
}: {
  readonly unit: UnitText;
  /** What was found wrong with it. */
  readonly notes: readonly PointerNote[];
  readonly isFinding: boolean;
  readonly onFind: (isFinding: boolean) => void;
  readonly revealed: RevealRequest | null;
}) {
  const outline = useOutline(unit.text, unit.isCut, notes);
  if (!outline.lines.isJson) {
    return (
      <div
        role="region"
        aria-label="Message"
        // A scrolling region must be reachable by keyboard.
        tabIndex={0}
        className="h-full overflow-auto"
      >
        <PlainText text={unit.text} className="mono p-3" />
      </div>
    );
  }
  return <JsonView outline={outline} isFinding={isFinding} onFind={onFind} revealed={revealed} />;
}
