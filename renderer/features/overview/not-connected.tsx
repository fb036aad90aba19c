import { Pencil, ShieldQuestionMark } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { approve, type Asked, forgetAttempt } from '#model/connection.ts';
import { openEditor } from '#model/selection.ts';
import type {
  EraChoice,
  HttpSettings,
  Server,
  StdioSettings,
  TlsSettings,
} from '#shared/contract/servers.ts';
import type { Launch, SentVariables } from '#shared/contract/sessions.ts';
import { Argv, LaunchFacts } from '#ui/launch-facts.tsx';
import { Button } from '#ui/button.tsx';
import { type Fact, Facts } from '#ui/facts.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { SentVariablesFacts } from '#ui/sent-variables-facts.tsx';
import { visibleLine } from '#ui/visible.ts';
import { Encryption } from './encryption.tsx';
import { Fingerprint } from './fingerprint.tsx';

const eras: Readonly<Record<EraChoice, string>> = {
  auto: 'detected on connecting',
  legacy: 'legacy, by initialize',
  modern: 'modern, without a probe',
};

/** A server that was never connected: what Connect will run, or where it will connect. */
export function NotConnected({ server, action }: { readonly server: Server; readonly action: ReactNode }) {
  const { transport, era, revision, notes } = server;
  const isProcess = transport.kind === 'stdio';
  const heading = isProcess ? 'What will run' : 'Where it will connect';
  return (
    <section aria-label={heading} className="max-w-[760px]">
      <h2 className="text-lg font-semibold">{visibleLine(server.name)}</h2>
      <p className="mt-0.5 mb-2 text-mute">
        Not connected. {isProcess ? 'This command will run:' : 'It will connect to:'}
      </p>
      <Facts
        facts={[
          ...(isProcess ? processFacts(transport) : httpFacts(transport)),
          { name: 'Era', value: <span className="text-mute">{eras[era]}</span> },
          revision === null
            ? null
            : { name: 'Revision', value: <span className="mono">{visibleLine(revision)}</span> },
          notes === '' ? null : { name: 'Notes', value: <PlainText text={notes} /> },
        ]}
      />
      <div className="mt-3 flex gap-2">
        {action}
        <Button icon={<Pencil aria-hidden className="size-3.5" />} onClick={() => openEditor(server.id)}>
          Edit
        </Button>
      </div>
    </section>
  );
}

const processFacts = ({ command, args, cwd, env, inherit }: StdioSettings): Fact[] => [
  { name: 'Command', value: <Argv command={command} args={args} /> },
  {
    name: 'Working folder',
    value: <span className={cwd === null ? 'text-mute' : 'mono'}>{cwd ?? 'your home folder'}</span>,
  },
  {
    name: 'Environment',
    value: (
      <>
        {env.length > 0 && <span className="mono">{env.map(({ name }) => name).join(' ')} </span>}
        <span className="text-mute">
          {env.length > 0 && 'and '}
          {inherit === 'safe' ? 'the safe variables (PATH, HOME, …)' : 'every variable Sightglass has'}
        </span>
      </>
    ),
  },
];

const transports: Readonly<Record<HttpSettings['transport'], string>> = {
  auto: 'detected on connecting: Streamable HTTP or HTTP+SSE',
  'streamable-http': 'Streamable HTTP',
  'http-sse': 'HTTP+SSE, deprecated since 2025-03-26',
};

function httpFacts({ url, transport, headers, proxy, tls }: HttpSettings): (Fact | null)[] {
  return [
    {
      name: 'URL',
      value: (
        <>
          <PlainText inline text={url} className="mono" />{' '}
          <Encryption url={url} isAccepted={tls.accepted !== null} />
        </>
      ),
    },
    { name: 'Transport', value: <span className="text-mute">{transports[transport]}</span> },
    headers.length === 0
      ? null
      : {
          name: 'Headers',
          value: (
            <>
              <span className="mono">{headers.map(({ name }) => name).join(' ')}</span>
              <span className="text-mute"> · values hidden</span>
            </>
          ),
        },
    {
      name: 'Proxy',
      value: (
        <span className="text-mute">
          {proxy === 'none' ? 'none' : 'from HTTP_PROXY, HTTPS_PROXY and NO_PROXY'}
        </span>
      ),
    },
    tls.caFile === null
      ? null
      : { name: 'Authorities', value: <PlainText inline text={tls.caFile} className="mono" /> },
    tls.certFile === null && tls.keyFile === null
      ? null
      : { name: 'Our certificate', value: <OurCertificate tls={tls} /> },
    tls.accepted === null
      ? null
      : {
          name: 'Accepted',
          value: (
            <>
              <Fingerprint text={tls.accepted} />
              <span className="text-mute"> · accepted although it is not trusted</span>
            </>
          ),
        },
  ];
}

function OurCertificate({ tls: { certFile, keyFile } }: { readonly tls: TlsSettings }) {
  return (
    <>
      <PlainText inline text={certFile ?? 'none'} className="mono" />
      <span className="text-mute"> · key </span>
      <PlainText inline text={keyFile ?? 'none'} className="mono" />
    </>
  );
}

/** Asks whether a new command line may run, or variables may be sent to a host; shows exactly what would be done. */
export function ApprovalCard({
  server,
  approval,
  asked,
}: {
  readonly server: Server;
  readonly approval: string;
  readonly asked: Asked;
}) {
  const card = useRef<HTMLElement>(null);
  // Focus the card, not its button: a held Enter key must not approve what was not read.
  useEffect(() => card.current?.focus(), [approval]);
  const { label, question, note, facts, yes } =
    'launch' in asked ? aboutLaunch(asked.launch) : aboutVariables(asked.sent);
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label={label}
      className="max-w-[760px] rounded-ui border border-line border-l-2 border-l-warn bg-panel px-3 py-2.5 outline-none"
    >
      <h3 className="flex items-center gap-2 font-semibold">
        <ShieldQuestionMark aria-hidden className="size-4 shrink-0 text-warn" />
        {question}
      </h3>
      <p className="mt-0.5 mb-2 text-mute">{note}</p>
      {facts}
      <div className="mt-2.5 flex gap-2">
        <Button variant="primary" onClick={() => void approve(server.id)}>
          {yes}
        </Button>
        <Button onClick={() => forgetAttempt(server.id)}>Cancel</Button>
      </div>
    </section>
  );
}

const aboutLaunch = (launch: Launch) => ({
  label: 'Run this command?',
  question: 'Run this command on your computer?',
  note: 'It runs with your permissions and can do whatever you can. You are asked once for each command line, and again when its file, folder or variables change.',
  facts: <LaunchFacts launch={launch} />,
  yes: 'Run it',
});

const aboutVariables = (sent: SentVariables) => ({
  label: 'Send these variables?',
  question: 'Send values from your computer to this host?',
  note: 'The settings of this server use variables, and the host gets their values with each request. You are asked once, and again when the variables or the host change.',
  facts: <SentVariablesFacts sent={sent} />,
  yes: 'Send them and connect',
});
