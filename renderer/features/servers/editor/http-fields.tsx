import { useEffect, useRef } from 'react';
import { call } from '#bridge';
import { useAppInfo } from '#model/app-info.ts';
import { writeDocument } from '#model/authorization.ts';
import { faultOf } from '#model/faults.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { HttpSettings } from '#shared/contract/servers.ts';
import { isHeld, secretsInUrl, type UrlSecret, withUrlSecrets } from '#shared/url-secrets.ts';
import { AuthorizationFields, registrationLabels } from '#ui/authorization-fields.tsx';
import { TextField } from '#ui/field.tsx';
import { toastFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { namedValue, bearerHeader, headers } from '../draft/named-values.ts';
import type { HttpDraft, TlsDraft } from '../draft/transport-draft.ts';
import { validateUrl, type UrlWarning, commandLineIn } from '../draft/validate-url.ts';
import { NamedValues } from './named-value-fields.tsx';
import { type FieldProps, QuickFix, Choice, type Option, FieldGroup, Collapsible } from './form-parts.tsx';

/** The URL, validated while the user types it. */
export function UrlField({
  draft,
  errors,
  change,
  validate,
  serverId,
  onCommandLine,
}: FieldProps<HttpDraft> & {
  readonly serverId: string | null;
  /** The user confirms that the text is a command line. */
  readonly onCommandLine: (commandLine: string) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  // Focus the first field of the form.
  useEffect(() => field.current?.focus(), []);
  const validation = validateUrl(draft.url);
  const commandLine = commandLineIn(draft.url);
  const keepsSecrets = useAppInfo(({ info }) => info?.keepsSecrets ?? true);
  const secrets = secretsInUrl(draft.url);
  const reveal = async (id: string) => {
    try {
      const { url } = await call('servers/reveal-url', { id });
      const whole = restoreSecrets(draft.url, url ?? '');
      change({ url: whole });
      if (secretsInUrl(whole).some(isHeld)) toastFault(missingSecrets);
    } catch (failure) {
      toastFault(faultOf(failure));
    }
  };
  const isWrong = validation.state === 'wrong' && commandLine === null;
  return (
    <div data-takes-configuration>
      <TextField
        mono
        required
        ref={field}
        label="URL"
        hint="of the MCP endpoint"
        inputMode="url"
        placeholder="https://example.com/mcp"
        value={draft.url}
        error={isWrong ? validation.error : errors.url}
        onChange={(url) => change({ url })}
        onBlur={() => validate('url')}
      />
      {serverId !== null && secrets.some(isHeld) && (
        <QuickFix action="Show them" onAccept={() => void reveal(serverId)}>
          “••••” stands for values stored as secrets.
        </QuickFix>
      )}
      {secrets.length > 0 && !keepsSecrets && (
        <p className="mt-1.5 text-xs text-faint">
          No key store here: secrets are forgotten when Sightglass quits.
        </p>
      )}
      {commandLine !== null && (
        <QuickFix action="Use it as the command" onAccept={() => onCommandLine(commandLine)}>
          This is a command line, not a URL.
        </QuickFix>
      )}
      {validation.state === 'unfinished' && validation.suggestion !== null && (
        <QuickFix action="Use this" onAccept={() => change({ url: validation.suggestion ?? draft.url })}>
          Did you mean <code className="mono">{visibleLine(validation.suggestion)}</code>?
        </QuickFix>
      )}
      {validation.state === 'ok' &&
        validation.warnings.map((warning) => (
          <Warning key={warning.kind} warning={warning} draft={draft} change={change} />
        ))}
    </div>
  );
}

const missingSecrets: Fault = {
  code: 'secret-not-held',
  what: 'Some of these values are no longer stored.',
  next: 'Enter them in the URL again.',
};

/** Replaces placeholders in the edited URL with the values of the saved URL. */
function restoreSecrets(edited: string, saved: string): string {
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
          Not encrypted: anyone on the network path can read what is sent, including secret headers.
        </p>
      );
    case 'credentials':
      return (
        <QuickFix
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
        </QuickFix>
      );
    case 'fragment':
      return <p className="mt-1.5 text-xs text-warn">The part after “#” is never sent.</p>;
  }
}

const transports: readonly Option<HttpSettings['transport']>[] = [
  {
    id: 'auto',
    label: 'auto',
    does: 'Tries Streamable HTTP first; HTTP+SSE if the server rejects the POST.',
  },
  {
    id: 'streamable-http',
    label: 'Streamable HTTP',
    does: 'One URL for everything; responses are JSON or an event stream. Since 2025-03-26.',
  },
  {
    id: 'http-sse',
    label: 'HTTP+SSE',
    does: 'A GET event stream names a second URL for messages. From 2024-11-05, now deprecated.',
  },
];

export function TransportField({ draft, change }: Pick<FieldProps<HttpDraft>, 'draft' | 'change'>) {
  return (
    <Choice
      label="HTTP transport"
      value={draft.transport}
      options={transports}
      onChange={(transport) => change({ transport })}
    />
  );
}

const proxies: readonly Option<HttpSettings['proxy']>[] = [
  { id: 'environment', label: 'from the environment', does: 'Uses HTTP_PROXY, HTTPS_PROXY and NO_PROXY.' },
  { id: 'none', label: 'none', does: 'Connects straight to the server.' },
];

export function ProxyField({ draft, change }: Pick<FieldProps<HttpDraft>, 'draft' | 'change'>) {
  return (
    <Choice label="Proxy" value={draft.proxy} options={proxies} onChange={(proxy) => change({ proxy })} />
  );
}

/** The header lines that go with every request. */
export function HeaderFields({
  draft,
  errors,
  change,
  validate,
  serverId,
}: FieldProps<HttpDraft> & { readonly serverId: string | null }) {
  const isAuthorized = draft.headers.some(({ name }) => name.toLowerCase() === 'authorization');
  return (
    <FieldGroup label="Headers" hint="sent with every request">
      <NamedValues
        kind={headers}
        rows={draft.headers}
        errors={errors}
        serverId={serverId}
        onChange={(rows) => change({ headers: rows })}
        validate={validate}
        shortcuts={isAuthorized ? [] : [{ label: 'Authorization: Bearer …', row: bearerHeader }]}
      />
    </FieldGroup>
  );
}

const modes: readonly Option<AuthorizationSettings['mode']>[] = [
  {
    id: 'automatic',
    label: 'automatic',
    does: 'When the server demands it, your browser opens, and the session goes on with the token.',
  },
  { id: 'stepped', label: 'stepped', does: 'The flow stops before each step, in the Auth pane.' },
  { id: 'off', label: 'off', does: 'A 401 is a fault, as for a client that cannot authorize.' },
];

/** How to authorize when the server demands it. Collapsed: the defaults suit most servers. */
export function AuthorizationSection({
  draft,
  change,
  serverId,
}: Pick<FieldProps<HttpDraft>, 'draft' | 'change'> & { readonly serverId: string | null }) {
  const settings = draft.authorization ?? defaultAuthorization;
  const { mode, clientId, registration } = settings;
  const changeSettings = (part: Partial<AuthorizationSettings>) =>
    change({ authorization: { ...settings, ...part } });
  const summary = [
    mode,
    registration !== 'auto' && registrationLabels[registration].toLowerCase(),
    clientId !== null && visibleLine(clientId),
  ];
  return (
    <Collapsible
      title="Authorization"
      summary={summary.filter((part) => part !== false).join(', ')}
      hasErrors={false}
      className="flex flex-col gap-2.5"
    >
      <Choice
        label="OAuth"
        value={mode}
        options={modes}
        onChange={(chosen) => changeSettings({ mode: chosen })}
      />
      {mode !== 'off' && (
        <AuthorizationFields
          settings={settings}
          serverUrl={draft.url}
          onChange={changeSettings}
          onWriteDocument={() => writeDocument(serverId, settings)}
        />
      )}
    </Collapsible>
  );
}

type FileName = 'caFile' | 'certFile' | 'keyFile';

const files: readonly {
  readonly name: FileName;
  readonly label: string;
  readonly hint: string;
  /** What is used when no file is given. */
  readonly placeholder: string;
}[] = [
  {
    name: 'caFile',
    label: 'CA file',
    hint: 'trusted in addition to the system’s CAs',
    placeholder: 'path of a PEM file',
  },
  {
    name: 'certFile',
    label: 'Client certificate',
    hint: 'identifies us to the server',
    placeholder: 'path of a PEM file',
  },
  {
    name: 'keyFile',
    label: 'Key of the client certificate',
    hint: 'if it is in a separate file',
    placeholder: 'in the certificate file',
  },
];

/** TLS settings. Collapsed, because most servers need none. */
export function TlsFields({
  draft,
  errors,
  change,
  validate,
  isWanted,
}: FieldProps<HttpDraft> & {
  /** Whether the user is to enter the fingerprint of a certificate. */
  readonly isWanted: boolean;
}) {
  const fingerprint = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    fingerprint.current?.scrollIntoView({ block: 'center' });
    fingerprint.current?.focus();
  }, [isWanted]);
  const { tls } = draft;
  const changeTls = (part: Partial<TlsDraft>) => change({ tls: { ...tls, ...part } });
  return (
    <Collapsible
      title="TLS"
      summary={summaryOf(draft)}
      startsOpen={isWanted}
      hasErrors={Object.keys(errors).some((field) => field.startsWith('tls.'))}
      className="flex flex-col gap-2.5"
    >
      {files.map(({ name, label, hint, placeholder }) => (
        <TextField
          key={name}
          mono
          label={label}
          hint={hint}
          placeholder={placeholder}
          value={tls[name]}
          error={errors[`tls.${name}`]}
          onChange={(path) => changeTls({ [name]: path })}
          onBlur={() => validate(`tls.${name}`)}
        />
      ))}
      <TextField
        mono
        ref={fingerprint}
        label="Accepted certificate"
        hint="its SHA-256 fingerprint, as the administrator of the server gives it"
        placeholder="none besides those of trusted authorities"
        value={tls.accepted}
        error={errors['tls.accepted']}
        onChange={(accepted) => changeTls({ accepted })}
        onBlur={() => validate('tls.accepted')}
      />
    </Collapsible>
  );
}

function summaryOf({ url, tls }: HttpDraft): string {
  if (/^http:\/\//i.test(url.trim())) return 'not used over http://';
  const set: string[] = [];
  if (tls.caFile.trim() !== '') set.push('CA file');
  if (tls.certFile.trim() !== '') set.push('client certificate');
  if (tls.accepted.trim() !== '') set.push('one accepted certificate');
  return set.length === 0 ? 'system defaults' : set.join(', ');
}
