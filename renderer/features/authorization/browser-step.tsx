import { ExternalLink } from 'lucide-react';
import { call } from '#bridge';
import { isOnDesktop } from '#model/desktop.ts';
import { useAction } from '#model/use-query.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import { readAddress } from '#ui/address.ts';
import { AddressText } from '#ui/address-view.tsx';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { CallbackPaste } from './callback-paste.tsx';

/** The authorization request for the browser, and the callback as text if the browser cannot reach us. */
export function BrowserStep({ flow, url }: { readonly flow: AuthorizationFlow; readonly url: string }) {
  const address = readAddress(url);
  const open = useAction(async () => {
    await call('authorization/open-browser', { flowId: flow.id });
  });
  const refuse = useAction(async () => {
    await call('authorization/no-callback', { flowId: flow.id });
  });
  const fault = open.fault ?? refuse.fault;
  const hasStray = flow.steps.some(({ id, findings }) => id === flow.currentStep && findings.length > 0);
  const isWeb = address.state === 'read' && address.isWeb;
  return (
    <section
      aria-label="In the browser"
      className="mx-3 mb-2 rounded-ui border border-line border-l-2 border-l-warn bg-panel px-3 py-2"
    >
      <p className="text-sm">
        Sign in and consent in your browser. The flow waits until it is redirected back. If the authorization
        server shows an error page instead, it has rejected the request: say so here.
      </p>
      {hasStray && (
        <p role="status" className="mt-1 text-sm text-warn">
          A response came that does not belong to this request, so it was not used. The flow goes on waiting.
          If the browser shows that the state is missing or another one, end the wait here.
        </p>
      )}
      {isWeb && <AddressText address={{ ...address, after: '/…' }} className="mt-1" />}
      {address.state === 'read' &&
        address.warnings.map((says) => (
          <p key={says} className="mt-1 text-xs text-warn">
            {says}
          </p>
        ))}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {isWeb &&
          (isOnDesktop() ? (
            <Button
              size="small"
              variant="primary"
              icon={<ExternalLink aria-hidden className="size-3" />}
              disabled={open.isRunning}
              onClick={() => void open.run()}
            >
              Open in browser
            </Button>
          ) : (
            <a
              href={address.href}
              target="_blank"
              rel="noreferrer"
              className="inline-flex h-6 items-center gap-1.5 rounded-ui border border-accent bg-accent px-2 text-sm font-semibold text-accent-ink outline-offset-1 hover:brightness-110 focus-visible:rounded-ui"
            >
              <ExternalLink aria-hidden className="size-3" />
              Open in browser
            </a>
          ))}
        <CopyButton withWord label="Copy URL" text={url} />
        <Button size="small" variant="quiet" disabled={refuse.isRunning} onClick={() => void refuse.run()}>
          It shows an error page
        </Button>
      </div>
      <CallbackPaste flow={flow} />
      {fault !== null && <FaultCard fault={fault} className="mt-2" />}
    </section>
  );
}

/** Several authorization servers: the user chooses (RFC 9728 section 7.6). */
export function IssuerChoice({ flow }: { readonly flow: AuthorizationFlow }) {
  const choose = useAction(async (issuer: string) => {
    await call('authorization/choose', { flowId: flow.id, issuer });
  });
  return (
    <section
      aria-label="Authorization servers"
      className="mx-3 mb-2 rounded-ui border border-line border-l-2 border-l-warn bg-panel px-3 py-2"
    >
      <p className="text-sm">The server names several authorization servers. Which one issues the token?</p>
      <ul className="mt-1">
        {flow.issuers.map((issuer) => (
          <li key={issuer} className="flex items-center gap-2 py-0.5">
            <PlainText inline text={issuer} className="mono min-w-0 flex-1" />
            <Button size="small" disabled={choose.isRunning} onClick={() => void choose.run(issuer)}>
              Use this one
            </Button>
          </li>
        ))}
      </ul>
      {choose.fault !== null && <FaultCard fault={choose.fault} className="mt-2" />}
    </section>
  );
}
