import { Check, TriangleAlert } from 'lucide-react';
import { CopyButton } from '#ui/copy-button.tsx';
import { formatQuantity } from '#shared/format.ts';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import type { Schema } from '#ui/schema-form/schema.ts';
import { useVerdict } from '#ui/schema-form/use-verdict.ts';
import { Framed } from './framed.tsx';

/** The structured content, and what the tool's own output schema says of it. */
export function StructuredView({
  raw,
  schema,
}: {
  readonly raw: string;
  readonly schema: Schema | undefined;
}) {
  return (
    <Framed
      title="structuredContent"
      note={schema === undefined ? 'no output schema' : <Conformance raw={raw} schema={schema} />}
      actions={<CopyButton text={raw} label="Copy the structured content" />}
    >
      <JsonText raw={raw} />
    </Framed>
  );
}

function Conformance({ raw, schema }: { readonly raw: string; readonly schema: Schema }) {
  const verdict = useVerdict(schema, raw);
  switch (verdict?.state) {
    case undefined:
      return null;
    case 'valid':
      return (
        <span className="flex items-center gap-1 text-in">
          <Check aria-hidden className="size-3" /> as the output schema says
        </span>
      );
    case 'unusable':
      return <PlainText inline text={`not judged: ${verdict.why}`} className="text-warn" />;
    case 'invalid':
      return (
        <details className="text-err">
          <summary className="flex items-center gap-1">
            <TriangleAlert aria-hidden className="size-3" />
            {formatQuantity(verdict.problems.length, 'problem')} by the output schema
          </summary>
          <ul>
            {verdict.problems.map(({ at, text, keyword }) => (
              <li key={`${at} ${keyword} ${text}`}>
                <PlainText inline text={at || 'the whole'} className="mono" />{' '}
                <PlainText inline text={text} />
              </li>
            ))}
          </ul>
        </details>
      );
  }
}
