import type { HttpSettings } from '#shared/contract/servers.ts';
import type { HttpDraft } from './draft/http-draft.ts';
import { Choice, type Option } from './choice.tsx';
import { FieldGroup } from './field-group.tsx';
import type { FieldProps } from './field-props.ts';
import { NamedValues } from './named-values/named-values.tsx';
import { bearerHeader, headers } from './named-values/value-kinds.ts';

const transports: readonly Option<HttpSettings['transport']>[] = [
  {
    id: 'auto',
    label: 'auto',
    does: 'Streamable HTTP first; HTTP+SSE when the server refuses the POST.',
  },
  {
    id: 'streamable-http',
    label: 'Streamable HTTP',
    does: 'One URL for everything; answers come as JSON or as an event stream. Since 2025-03-26.',
  },
  {
    id: 'http-sse',
    label: 'HTTP+SSE',
    does: 'An event stream by GET names a second URL for messages. 2024-11-05, deprecated since.',
  },
];

/** Which of the two HTTP transports is spoken. */
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
  { id: 'environment', label: 'from the environment', does: 'As HTTP_PROXY, HTTPS_PROXY and NO_PROXY say.' },
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
  judge,
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
        judge={judge}
        shortcuts={isAuthorized ? [] : [{ label: 'Authorization: Bearer …', row: bearerHeader }]}
      />
    </FieldGroup>
  );
}
