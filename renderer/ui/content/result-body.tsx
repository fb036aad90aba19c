import { TriangleAlert, Check, CircleHelp } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import type { Validation } from '#shared/contract/calls.ts';
import { type ResultView, resultViews } from '#shared/contract/place.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { ForAudience } from '#ui/content/annotations.tsx';
import { BlockView } from '#ui/content/block-view.tsx';
import { OtherMembers } from '#ui/content/other-members.tsx';
import { annotationsOf } from '#ui/content/read-content.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { Framed } from '#ui/framed.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { readResult, type ToolResult } from './read-result.ts';

// Not needed for the first render.
const JsonTree = lazy(async () => ({ default: (await import('#ui/json-view/json-tree.tsx')).JsonTree }));

const viewLabels: Readonly<Record<ResultView, string>> = { content: 'Content', raw: 'Raw' };

/** Chooses how results are shown. */
export function ResultViewSwitch({
  label,
  view,
  onChange,
}: {
  readonly label: string;
  readonly view: ResultView;
  readonly onChange: (view: ResultView) => void;
}) {
  return (
    <Segmented
      label={label}
      value={view}
      onChange={onChange}
      options={resultViews.map((id) => ({ id, label: viewLabels[id] }))}
    />
  );
}

interface ResultBodyProps {
  /** The `result` object as JSON text. */
  readonly text: string;
  readonly view: ResultView;
  /** Whether the text was truncated. */
  readonly isCut: boolean;
  readonly isToolError: boolean;
  /** The structured content validated against the output schema. */
  readonly outputValidation: Validation | null;
  /** Shows the complete response in the trace; null if it is not there. */
  readonly onShowAll: (() => void) | null;
}

/** The result of a `tools/call` (MCP tools, tool result). */
export function ResultBody({ text, view, isCut, isToolError, outputValidation, onShowAll }: ResultBodyProps) {
  const result = useMemo(() => (isCut ? null : readResult(text)), [text, isCut]);
  return (
    <>
      {isToolError && <Remark tone="warn">The tool reported an error (isError).</Remark>}
      {isCut && (
        <Remark tone="warn">
          The result is too long to show here. This is the first part, {formatBytes(text.length)}.{' '}
          {onShowAll !== null && (
            <Button size="small" onClick={onShowAll}>
              Show all of it in the trace
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
        <Content text={text} result={result} outputValidation={outputValidation} />
      )}
    </>
  );
}

/** Members that Content shows, or that only say which kind of result it is. */
const RENDERED = ['content', 'structuredContent', 'isError', 'resultType'];

function Content({
  text,
  result,
  outputValidation,
}: {
  readonly text: string;
  readonly result: ToolResult;
  readonly outputValidation: Validation | null;
}) {
  const { blocks, errors, structured } = result;
  const isMissing = structured === null && outputValidation?.state === 'invalid';
  return (
    <>
      {errors.map((error) => (
        <Remark key={error} tone="err">
          {error}
        </Remark>
      ))}
      <ForAudience items={blocks} annotationsOf={annotationsOf}>
        {(block, index) => <BlockView key={index} block={block} />}
      </ForAudience>
      {blocks.length === 0 && errors.length === 0 && structured === null && (
        <p className="text-mute">The content is empty.</p>
      )}
      {structured !== null && <StructuredView raw={structured} validation={outputValidation} />}
      {isMissing && (
        <Remark tone="err">
          The tool declares an output schema, but its result has no structuredContent.
        </Remark>
      )}
      <OtherMembers text={text} rendered={RENDERED} isFailed={result.isError} />
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

/** The structured content, validated against the tool's output schema. */
function StructuredView({
  raw,
  validation,
}: {
  readonly raw: string;
  /** Null if the tool has no output schema. */
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
      <Suspense fallback={<JsonText raw={raw} />}>
        <JsonTree raw={raw} label="Structured content" />
      </Suspense>
    </Framed>
  );
}

/** Whether a value matches a schema of the tool; expands to the errors. */
export function ValidationNote({
  validation,
  schema,
}: {
  readonly validation: Validation;
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
            {formatQuantity(validation.errors.length, 'error')} against the {schema}
          </summary>
          <ul>
            {validation.errors.map(({ pointer, message }, index) => (
              // Errors can repeat, and the list never changes.
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
