import { TriangleAlert, Check, CircleHelp } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { selectTraceRow } from '#model/selection.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { Framed } from '#ui/framed.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import type { ResultView } from '../drafts.ts';
import { BlockView } from './content-blocks.tsx';
import { readResult, type ToolResult } from './read-result.ts';

interface ResultBodyProps {
  /** The `result` object as JSON text. */
  readonly text: string;
  readonly view: ResultView;
  /** It is only the beginning of a longer one. */
  readonly isCut: boolean;
  readonly isToolError: boolean;
  /** What the output schema says of the structured content. */
  readonly outputValidation: Validation | null;
  /** Where the whole answer is. */
  readonly traceRow: { readonly sessionId: string; readonly row: number } | null;
}

/** A result, by its content or as it was sent. */
export function ResultBody({ text, view, isCut, isToolError, outputValidation, traceRow }: ResultBodyProps) {
  const result = useMemo(() => (isCut ? null : readResult(text)), [text, isCut]);
  return (
    <>
      {isToolError && <Remark tone="warn">The tool reported an error (isError).</Remark>}
      {isCut && (
        <Remark tone="warn">
          The result is longer than is shown here: this is the beginning, {formatBytes(text.length)}.{' '}
          {traceRow !== null && (
            <Button size="small" onClick={() => selectTraceRow(traceRow.sessionId, traceRow.row)}>
              The whole is in the trace
            </Button>
          )}
        </Remark>
      )}
      {result === null || view === 'raw' ? (
        <div className="relative rounded-ui border border-line bg-raise px-2.5 py-2">
          <CopyButton text={text} label="Copy the raw result" className="absolute top-1 right-1" />
          <JsonText raw={text} isCut={isCut} className="pr-6" />
        </div>
      ) : (
        <Content result={result} outputValidation={outputValidation} />
      )}
    </>
  );
}

function Content({
  result,
  outputValidation,
}: {
  readonly result: ToolResult;
  readonly outputValidation: Validation | null;
}) {
  const { blocks, problems, structured } = result;
  const isMissing = structured === null && outputValidation?.state === 'invalid';
  return (
    <>
      {problems.map((problem) => (
        <Remark key={problem} tone="err">
          {problem}
        </Remark>
      ))}
      {blocks.map((block, index) => (
        // Blocks have no names; a result never changes.
        // oxlint-disable-next-line react/no-array-index-key
        <BlockView key={index} block={block} />
      ))}
      {blocks.length === 0 && problems.length === 0 && structured === null && (
        <p className="text-mute">The result is empty.</p>
      )}
      {structured !== null && <StructuredView raw={structured} validation={outputValidation} />}
      {isMissing && (
        <Remark tone="err">
          The tool declares an output schema, so its result must have structuredContent. It has none.
        </Remark>
      )}
    </>
  );
}

function Remark({ tone, children }: { readonly tone: 'warn' | 'err'; readonly children: ReactNode }) {
  return (
    <p
      className={`flex items-start gap-1.5 border-l-2 py-0.5 pl-2 text-sm ${tone === 'warn' ? 'border-warn text-warn' : 'border-err text-err'}`}
    >
      <TriangleAlert aria-hidden className="mt-[3px] size-3 shrink-0" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}

/** The structured content, and what the tool's own output schema says of it. */
function StructuredView({
  raw,
  validation,
}: {
  readonly raw: string;
  /** Null when there is no schema to validate it by. */
  readonly validation: Validation | null;
}) {
  return (
    <Framed
      title="structuredContent"
      note={
        validation === null ? (
          'Not validated'
        ) : (
          <ValidationNote validation={validation} schema="output schema" />
        )
      }
      actions={<CopyButton text={raw} label="Copy the structured content" />}
    >
      <JsonText raw={raw} />
    </Framed>
  );
}

/** Whether a value matches a schema of the tool, in one line that opens to the problems. */
export function ValidationNote({
  validation,
  schema,
}: {
  readonly validation: Validation;
  /** What to call the schema. */
  readonly schema: 'input schema' | 'output schema';
}) {
  switch (validation.state) {
    case 'valid':
      return (
        <span className="flex items-center gap-1 text-in">
          <Check aria-hidden className="size-3 shrink-0" /> matches the {schema}
        </span>
      );
    case 'unknown':
      return (
        <span className="flex items-start gap-1 text-warn">
          <CircleHelp aria-hidden className="mt-[3px] size-3 shrink-0" />
          <PlainText
            inline
            text={`Not validated against the ${schema}: ${validation.reason}`}
            className="min-w-0"
          />
        </span>
      );
    case 'invalid':
      return (
        <details className="min-w-0 text-err">
          <summary className="flex items-center gap-1">
            <TriangleAlert aria-hidden className="size-3 shrink-0" />
            {formatQuantity(validation.problems.length, 'problem')} by the {schema}
          </summary>
          <ul>
            {validation.problems.map(({ pointer, message }, index) => (
              // The same may be wrong in the same place twice; a validation never changes.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index}>
                <PlainText inline text={pointer || 'the whole'} className="mono" />{' '}
                <PlainText inline text={message} />
              </li>
            ))}
          </ul>
        </details>
      );
  }
}
