import { type ExportFormat, exportFormats } from '#shared/contract/exports.ts';
import type { ExportSubject } from '#model/exports.ts';
import { Choice } from './choice.tsx';
import { formatWords } from './formats.ts';

/** What kind of file, each with what it is for. */
export function FormatFields({
  subject,
  format,
  onChange,
}: {
  readonly subject: ExportSubject;
  readonly format: ExportFormat;
  readonly onChange: (format: ExportFormat) => void;
}) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Format</legend>
      {exportFormats.map((one) => {
        const { label, purpose, unavailableReason } = formatWords[one];
        const why = unavailableReason(subject);
        return (
          <Choice
            key={one}
            name="format"
            label={label}
            note={why ?? purpose}
            checked={one === format}
            disabled={why !== null}
            onChoose={() => onChange(one)}
          />
        );
      })}
    </fieldset>
  );
}
