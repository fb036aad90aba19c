import { useEffect, useRef } from 'react';
import { call } from '#bridge';
import { useAppInfo } from '#model/app-info.ts';
import { faultOf } from '#model/connection.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { isHeld, secretsInUrl, type UrlSecret, withUrlSecrets } from '#shared/url-secrets.ts';
import { TextField } from '#ui/field.tsx';
import { toastFault } from '#ui/toaster.tsx';
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
  serverId,
  onCommandLine,
}: FieldProps<HttpDraft> & {
  readonly serverId: string | null;
  /** The user says that what was written is a command line. */
  readonly onCommandLine: (commandLine: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  // The form opens to be written in.
  useEffect(() => field.current?.focus(), []);
  const verdict = judgeUrl(draft.url);
  const commandLine = commandLineIn(draft.url);
  const keepsSecrets = useAppInfo(({ info }) => info?.keepsSecrets ?? true);
  const secrets = secretsInUrl(draft.url);
  const reveal = async (id: string) => {
    try {
      const { url } = await call('servers/reveal-url', { id });
      const whole = withHeldValues(draft.url, url ?? '');
      change({ url: whole });
      if (secretsInUrl(whole).some(isHeld)) toastFault(notHeld);
    } catch (failure) {
      toastFault(faultOf(failure));
    }
  };
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
      {serverId !== null && secrets.some(isHeld) && (
        <Offer action="Show them" onAccept={() => void reveal(serverId)}>
          “••••” stands for values that are kept as secrets.
        </Offer>
      )}
      {secrets.length > 0 && !keepsSecrets && (
        <p className="mt-1.5 text-xs text-faint">
          No key store here: secrets are forgotten when Sightglass quits.
        </p>
      )}
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

const notHeld: Fault = {
  code: 'secret-not-held',
  what: 'Not all of these values are held any more.',
  next: 'Write them into the URL again.',
};

/** What is being edited, with the values of the saved URL where it has only their placeholders. */
function withHeldValues(edited: string, saved: string): string {
  const values = new Map(secretsInUrl(saved).map(({ key, value }) => [key, value]));
  return withUrlSecrets(edited, (secret: UrlSecret) =>
    isHeld(secret) ? (values.get(secret.key) ?? null) : null,
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
          User name and password are sent as the header “Authorization”.
        </Offer>
      );
    case 'fragment':
      return <p className="mt-1.5 text-xs text-warn">What follows “#” is never sent.</p>;
  }
}
