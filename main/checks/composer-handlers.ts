import type { Handlers, Result } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { Agreement } from '#shared/contract/sessions.ts';
import { methods } from '#shared/protocol/methods.ts';
import { isKnownRevision, type Revision } from '#shared/protocol/revisions.ts';
import { paramsSchema } from '#shared/protocol/schemas/json-schema.ts';
import { isSecretHeader } from '#shared/secret-names.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { checkBeforeSend } from './before-send.ts';

/** A session as the composer sees it. */
interface ComposedSession {
  readonly agreement: Agreement | null;
  readonly trace: { readonly index: { readonly columns: RowColumns } };
  readonly manual: {
    messageContext(): Result<'composer/context'>;
    /** Null on stdio. */
    headersOf(unit: string): Redacted<HeaderLines | null>;
  };
}

type ComposerCommand = Extract<keyof Handlers, `composer/${string}`>;

/** Checks what the user composes before it is sent. */
export function composerHandlers(
  session: (sessionId: string) => ComposedSession,
): Pick<Handlers, ComposerCommand> {
  return {
    'composer/context': ({ sessionId }) => session(sessionId).manual.messageContext(),
    'composer/schemas': ({ revision }) => (isKnownRevision(revision) ? schemasOf(revision) : {}),
    'composer/check': ({ sessionId, bytes, revision }) => {
      const { agreement, trace, manual } = session(sessionId);
      const unit = bytes.as === 'text' ? Buffer.from(bytes.text) : Buffer.from(bytes.base64, 'base64');
      const headers = manual.headersOf(unit.toString());
      const { columns } = trace.index;
      return {
        warnings: checkBeforeSend(unit, { columns, agreement, revision, isHttp: headers !== null }),
        headers: headers === null ? null : headers.map(([name, value]) => [name, shown(name, value)]),
      };
    },
  };
}

function schemasOf(revision: Revision): Result<'composer/schemas'> {
  return Object.fromEntries(
    methods.flatMap(({ method }) => {
      const schema = paramsSchema({ method, revision, from: 'client' });
      return schema === null ? [] : [[method, schema]];
    }),
  );
}

/** Credentials are not shown, whether the user marked them as secret or not. */
const shown = (name: string, value: string): string => (isSecretHeader(name) ? '[secret]' : value);
