import type { Validity } from '#shared/contract/calls.ts';
import { Framed } from '#ui/framed.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { ValidityNote } from './validity-note.tsx';

/** The structured content, and what the tool's own output schema says of it. */
export function StructuredView({
  raw,
  validity,
}: {
  readonly raw: string;
  /** Null when there is no schema to judge it by. */
  readonly validity: Validity | null;
}) {
  return (
    <Framed
      title="structuredContent"
      note={validity === null ? 'Not validated' : <ValidityNote validity={validity} schema="output schema" />}
      actions={<CopyButton text={raw} label="Copy the structured content" />}
    >
      <JsonText raw={raw} />
    </Framed>
  );
}
