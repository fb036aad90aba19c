import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { selectTraceRow } from '#model/selection.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import type { Validity } from '#shared/contract/calls.ts';
import { formatBytes } from '#shared/format.ts';
import { JsonText } from '#ui/json-text.tsx';
import type { ResultView } from '../drafts.ts';
import { BlockView } from './block-view.tsx';
import { readResult, type ToolResult } from './read-result.ts';
import { StructuredView } from './structured-view.tsx';

interface ResultBodyProps {
  /** The `result` object as JSON text. */
  readonly text: string;
  readonly view: ResultView;
  /** It is only the beginning of a longer one. */
  readonly isCut: boolean;
  readonly isToolError: boolean;
  /** What the output schema says of the structured content. */
  readonly outputValidity: Validity | null;
  /** Where the whole answer is. */
  readonly traceRow: { readonly sessionId: string; readonly row: number } | null;
}

/** A result, by its content or as it was sent. */
export function ResultBody({ text, view, isCut, isToolError, outputValidity, traceRow }: ResultBodyProps) {
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
        <Content result={result} outputValidity={outputValidity} />
      )}
    </>
  );
}

function Content({
  result,
  outputValidity,
}: {
  readonly result: ToolResult;
  readonly outputValidity: Validity | null;
}) {
  const { blocks, problems, structured } = result;
  const isMissing = structured === null && outputValidity?.verdict === 'invalid';
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
      {structured !== null && <StructuredView raw={structured} validity={outputValidity} />}
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
