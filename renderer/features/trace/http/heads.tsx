import { formatQuantity } from '#shared/format.ts';
import { statusName } from '#shared/protocol/http-status.ts';
import type { HeaderLines, HttpRequestRecord, HttpResponseRecord } from '#shared/trace/record.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { visibleLine } from '#ui/visible.ts';
import { toneClasses, statusTone } from '../table/row-labels.ts';
import { RedactedText, Section, ValueTable } from './section.tsx';

/** The request line and headers as they were sent. */
export function RequestHead({ request }: { readonly request: HttpRequestRecord }) {
  const { method, url, headers } = request;
  return (
    <Section
      title="Request"
      summary={headerCount(headers)}
      trailing={<CopyButton label="Copy the request’s head" text={headText(headers, requestLine(request))} />}
    >
      <p className="mono px-3 py-0.5 leading-[1.6] [overflow-wrap:anywhere]">
        <span className="font-semibold text-out">{visibleLine(method)}</span> <RedactedText text={url} />
      </p>
      <Headers headers={headers} />
    </Section>
  );
}

/** The status line and headers as they were received. */
export function ResponseHead({ response }: { readonly response: HttpResponseRecord }) {
  const { status, reason, headers, httpVersion, interim } = response;
  const name = statusName(status);
  return (
    <Section
      title={interim ? 'Interim response' : 'Response'}
      summary={headerCount(headers)}
      trailing={
        <CopyButton label="Copy the response’s head" text={headText(headers, statusLine(response))} />
      }
    >
      <p className="mono px-3 py-0.5 leading-[1.6] [overflow-wrap:anywhere]">
        <span className="text-mute">HTTP/{visibleLine(httpVersion)}</span>{' '}
        <span className={`font-semibold ${toneClasses[statusTone(status)]}`}>
          {status} {visibleLine(reason)}
        </span>
        {reason.toLowerCase() !== name.toLowerCase() && <span className="text-mute"> ({name})</span>}
      </p>
      <Headers headers={headers} />
    </Section>
  );
}

/** Headers after the body. */
export const Trailers = ({ trailers }: { readonly trailers: HeaderLines }) => (
  <Section
    title="Trailers"
    summary={headerCount(trailers)}
    trailing={<CopyButton label="Copy the trailers" text={headText(trailers)} />}
  >
    <Headers headers={trailers} />
  </Section>
);

function Headers({ headers }: { readonly headers: HeaderLines }) {
  if (headers.length === 0) return null;
  const lines = headers.map(([name, value]) => ({ name, value, isMasked: isSessionId(name, value) }));
  return <ValueTable names="wire" lines={lines} />;
}

/** Anyone with a session id can take the session over (MCP security best practices, session hijacking). */
const isSessionId = (name: string, value: string): boolean =>
  name.toLowerCase() === 'mcp-session-id' && value !== '' && !value.startsWith('[secret ');

const headerCount = (headers: HeaderLines): string =>
  headers.length === 0 ? 'no header' : formatQuantity(headers.length, 'header');

const requestLine = ({ method, url }: HttpRequestRecord): string => `${method} ${url}`;

/** `HTTP/1.1 200 OK` */
const statusLine = ({ httpVersion, status, reason }: HttpResponseRecord): string =>
  [`HTTP/${httpVersion}`, String(status), reason].filter((part) => part !== '').join(' ');

/** The first line and the headers as text to copy. */
const headText = (headers: HeaderLines, firstLine?: string): string =>
  [
    ...(firstLine === undefined ? [] : [firstLine]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
  ].join('\n');
