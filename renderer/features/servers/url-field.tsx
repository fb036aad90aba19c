import { useEffect, useRef } from 'react';
import { TextField } from '#ui/field.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { HttpDraft } from './draft/http-draft.ts';
import { judgeUrl, type UrlWarning } from './draft/judge-url.ts';
import { commandLineIn } from './draft/other-kind.ts';
import type { FieldProps } from './field-props.ts';
import { namedValue } from './named-values/named-value.ts';
import { Offer } from './offer.tsx';

/** Where the server is, judged while it is typed. */
export function UrlField({
  draft,
  errors,
  change,
  judge,
  onCommandLine,
}: FieldProps<HttpDraft> & {
  /** The user says that what was written is a command line. */
  readonly onCommandLine: (commandLine: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  // The form opens to be written in.
  useEffect(() => field.current?.focus(), []);
  const verdict = judgeUrl(draft.url);
  const commandLine = commandLineIn(draft.url);
  const isWrong = verdict.state === 'wrong' && commandLine === null;
  return (
    <div>
      <TextField
        mono
        required
        ref={field}
        label="URL"
        hint="of the MCP endpoint"
        inputMode="url"
        placeholder="https://example.com/mcp"
        value={draft.url}
        error={isWrong ? verdict.why : errors.url}
        onChange={(url) => change({ url })}
        onBlur={() => judge('url')}
      />
      {commandLine !== null && (
        <Offer action="Use it as the command" onAccept={() => onCommandLine(commandLine)}>
          This is a command line, not a URL.
        </Offer>
      )}
      {verdict.state === 'unfinished' && verdict.suggestion !== null && (
        <Offer action="Use this" onAccept={() => change({ url: verdict.suggestion ?? draft.url })}>
          Is it <code className="mono">{visibleLine(verdict.suggestion)}</code>?
        </Offer>
      )}
      {verdict.state === 'ok' &&
        verdict.warnings.map((warning) => (
          <Warning key={warning.kind} warning={warning} draft={draft} change={change} />
        ))}
    </div>
  );
}

function Warning({
  warning,
  draft,
  change,
}: Pick<FieldProps<HttpDraft>, 'draft' | 'change'> & { readonly warning: UrlWarning }) {
  switch (warning.kind) {
    case 'not-encrypted':
      return (
        <p className="mt-1.5 text-xs text-warn">
          Not encrypted: others on the way can read what is sent, secret headers included.
        </p>
      );
    case 'credentials':
      return (
        <Offer
          action="Move to a header"
          onAccept={() =>
            change({
              url: warning.without,
              headers: [
                ...draft.headers.filter(({ name }) => name.toLowerCase() !== 'authorization'),
                namedValue('Authorization', warning.authorization, true),
              ],
            })
          }
        >
          User name and password are shown wherever the URL is.
        </Offer>
      );
    case 'fragment':
      return <p className="mt-1.5 text-xs text-warn">What follows “#” is never sent.</p>;
  }
}
