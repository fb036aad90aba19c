import { KeyRound } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { findingsOf, useCredentials, useFlows, useShownFlow } from '#model/authorization.ts';
import { selectTraceRow, useSelection, useShownSession } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import type {
  AuthorizationFlow,
  AuthorizationStep,
  StoredCredentials,
} from '#shared/contract/authorization.ts';
import { AuthorizationStateText } from '#ui/authorization-state.tsx';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { RedirectUri } from '#ui/redirect-uri.tsx';
import { Split, SplitHandle, SplitPanel } from '#ui/split.tsx';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import { useIsWide } from '#ui/use-is-wide.ts';
import { AnswerTab } from './answer-tab.tsx';
import { Checklist } from './checklist.tsx';
import { CorsCheck } from './cors-check.tsx';
import { CredentialsTab } from './credentials-tab.tsx';
import { Findings } from './findings.tsx';
import { FlowBar, RevisionChoice, NewFlow, useNextFlow } from './flow-bar.tsx';
import { chooseForFlow } from './flow-choices.ts';
import { FlowDiagram } from './flow-diagram.tsx';
import { KnownTraps } from './provider-traps.tsx';
import { RequestColumn } from './request-column.tsx';
import { ServerTestsTab } from './server-tests-tab.tsx';
import { StepActions } from './step-actions.tsx';
import { TokenTab } from './token-tab.tsx';

/** OAuth at the server: each step of a flow, its request and its response, the tokens, and what is wrong. */
export function AuthorizationPane() {
  const session = useShownSession();
  const selected = useSelection(({ serverId }) => serverId);
  const isRecorded = useSelection(({ openedId }) => openedId !== null);
  const serverId = session?.serverId ?? selected;
  if (serverId === null) return null;
  return (
    <AuthorizationOf
      key={`${serverId} ${session?.id}`}
      sessionId={session?.id ?? null}
      serverId={serverId}
      isRecorded={isRecorded}
    />
  );
}

function AuthorizationOf({
  sessionId,
  serverId,
  isRecorded,
}: {
  readonly sessionId: string | null;
  readonly serverId: string;
  readonly isRecorded: boolean;
}) {
  const { flows, fault } = useFlows(sessionId);
  const flow = useShownFlow(sessionId, flows);
  const { credentials } = useCredentials(isRecorded ? null : serverId);
  if (flows === null) {
    if (fault !== null) return <FaultCard fault={fault} className="m-4" />;
    return <div aria-busy aria-label="Flows are loading" />;
  }
  if (flow === null) {
    return (
      <NoFlow serverId={serverId} sessionId={sessionId} credentials={credentials} isRecorded={isRecorded} />
    );
  }
  return (
    <Flow
      key={flow.id}
      serverId={serverId}
      flows={flows}
      flow={flow}
      credentials={credentials}
      isRecorded={isRecorded}
    />
  );
}

/** Below this width the request is a tab beside the answer; pixels. */
const WIDE_ENOUGH = 980;

function Flow({
  serverId,
  flows,
  flow,
  credentials,
  isRecorded,
}: {
  readonly serverId: string;
  readonly flows: readonly AuthorizationFlow[];
  readonly flow: AuthorizationFlow;
  readonly credentials: readonly StoredCredentials[];
  readonly isRecorded: boolean;
}) {
  const [frameRef, isWide] = useIsWide(WIDE_ENOUGH);
  const [selectedId, selectId] = useState<number | null>(null);
  const request = useRef<HTMLDivElement>(null);
  const { steps, currentStep, sessionId } = flow;
  const sessionState = useAuthorizationState(sessionId);
  const selected =
    steps.find(({ id }) => id === selectedId) ??
    steps.find(({ id }) => id === currentStep) ??
    steps.findLast(({ state }) => state !== 'planned') ??
    steps[0];
  // The engine makes the first step with the flow.
  if (selected === undefined) return <div aria-busy aria-label="The flow begins" />;
  const select = ({ id }: AuthorizationStep) => selectId(id === currentStep ? null : id);
  const open = () => {
    if (selected.row !== null) selectTraceRow(sessionId, selected.row);
    else request.current?.querySelector<HTMLElement>('button:enabled, input:enabled')?.focus();
  };
  const step = (
    <div ref={request} className="flex min-h-0 flex-1 flex-col">
      {isRecorded ? (
        <p className="shrink-0 border-b border-line px-3 py-2 text-mute">
          This session was recorded, so nothing can be sent.
        </p>
      ) : (
        <StepActions flow={flow} step={selected} onSent={() => selectId(null)} />
      )}
      <RequestColumn flow={flow} step={selected} isRecorded={isRecorded} />
    </div>
  );
  const findings = (
    <>
      <Findings flow={flow} onSelect={select} />
      <KnownTraps flow={flow} onSelect={select} />
      <Checklist serverId={serverId} />
      <CorsCheck flow={flow} isRecorded={isRecorded} />
    </>
  );
  const answer = (
    <AnswerTabs
      serverId={serverId}
      sessionId={sessionId}
      flow={flow}
      step={selected}
      credentials={credentials}
      isRecorded={isRecorded}
      request={isWide ? null : step}
      findings={findings}
      isWide={isWide}
    />
  );
  return (
    <div ref={frameRef} data-flow className="h-full">
      <Split key={String(isWide)} id="authorization" direction="row" className="h-full">
        <SplitPanel id="authorization-steps" size={isWide ? '41%' : '50%'} min={330}>
          <FlowBar serverId={serverId} flows={flows} flow={flow} isRecorded={isRecorded} />
          <FlowDiagram
            flow={flow}
            selected={selected}
            onSelect={select}
            onEnter={open}
            state={sessionState}
            isRecorded={isRecorded}
          />
        </SplitPanel>
        <SplitHandle label="Width of the steps" />
        {isWide && (
          <SplitPanel id="authorization-request" min={260}>
            {step}
          </SplitPanel>
        )}
        {isWide && <SplitHandle label="Width of the answer" />}
        <SplitPanel id="authorization-answer" {...(isWide && { size: '26%' })} min={220}>
          {answer}
        </SplitPanel>
      </Split>
    </div>
  );
}

/** Null for a session that does not authorize, and without one. */
const useAuthorizationState = (sessionId: string | null) =>
  useSessions(({ sessions }) =>
    sessionId === null ? null : (sessions[sessionId]?.http?.authorization ?? null),
  );

type AnswerTabId = 'request' | 'answer' | 'token' | 'credentials' | 'findings' | 'server-tests';

/** What came back, the tokens and what is stored, above the findings; in a narrow window these and the request are tabs. */
function AnswerTabs({
  serverId,
  sessionId,
  flow,
  step,
  credentials,
  isRecorded,
  request = null,
  findings = null,
  isWide = true,
}: {
  readonly serverId: string;
  readonly sessionId: string | null;
  readonly flow: AuthorizationFlow | null;
  readonly step: AuthorizationStep | null;
  readonly credentials: readonly StoredCredentials[];
  readonly isRecorded: boolean;
  readonly request?: ReactNode;
  readonly findings?: ReactNode;
  readonly isWide?: boolean;
}) {
  const [chosen, choose] = useState<AnswerTabId | null>(null);
  const tabs = [
    ...(request === null ? [] : [{ id: 'request' as const, label: 'Request' }]),
    ...(step === null ? [] : [{ id: 'answer' as const, label: 'Answer' }]),
    { id: 'token' as const, label: 'Token' },
    { id: 'credentials' as const, label: 'Credentials', count: credentials.length },
    ...(isWide || flow === null
      ? []
      : [
          {
            id: 'findings' as const,
            label: 'Findings',
            badge: findingsOf(flow).length,
            badgeTone: 'warn' as const,
          },
        ]),
    { id: 'server-tests' as const, label: 'Server tests' },
  ];
  const tab = tabs.find(({ id }) => id === chosen)?.id ?? tabs[0]?.id ?? 'token';
  const scrolls = 'overflow-y-auto';
  return (
    <>
      <Tabs label="Request and answer" tabs={tabs} value={tab} onChange={choose} className="min-h-0 flex-1">
        {request !== null && (
          <TabPanel id="request" className={tab === 'request' ? 'flex min-h-0 flex-col' : ''}>
            {request}
          </TabPanel>
        )}
        {step !== null && (
          <TabPanel id="answer" className={scrolls}>
            <AnswerTab step={step} />
          </TabPanel>
        )}
        <TabPanel id="token" className={scrolls}>
          <TokenTab sessionId={sessionId} credentials={credentials} isRecorded={isRecorded} />
        </TabPanel>
        <TabPanel id="credentials" className={scrolls}>
          <CredentialsTab credentials={credentials} isRecorded={isRecorded} />
        </TabPanel>
        {!isWide && (
          <TabPanel id="findings" className={scrolls}>
            {findings}
          </TabPanel>
        )}
        <TabPanel id="server-tests" className={scrolls}>
          <ServerTestsTab serverId={serverId} sessionId={sessionId} isRecorded={isRecorded} />
        </TabPanel>
      </Tabs>
      {/* The tests are of the server, not of this flow, and their table takes the whole height. */}
      {isWide && findings !== null && tab !== 'server-tests' && (
        <div className="max-h-[50%] shrink-0 overflow-y-auto border-t border-line">{findings}</div>
      )}
    </>
  );
}

function NoFlow({
  serverId,
  sessionId,
  credentials,
  isRecorded,
}: {
  readonly serverId: string;
  readonly sessionId: string | null;
  readonly credentials: readonly StoredCredentials[];
  readonly isRecorded: boolean;
}) {
  const next = useNextFlow(serverId, null);
  const state = useAuthorizationState(sessionId);
  if (isRecorded) {
    return (
      <EmptyState icon={<KeyRound />} title="No authorization in this recording">
        The server was used without OAuth, or with a token that was there before.
      </EmptyState>
    );
  }
  const empty = (
    <EmptyState
      icon={<KeyRound />}
      title="No authorization yet"
      actions={
        <>
          <Button variant="primary" disabled={next.isRunning} onClick={() => next.begin('stepped')}>
            Step through
          </Button>
          <Button disabled={next.isRunning} onClick={() => next.begin('automatic')}>
            Authorize
          </Button>
          <span className="flex items-center gap-1.5">
            <RevisionChoice
              value={next.revision}
              onChange={(revision) => chooseForFlow(serverId, { revision })}
            />
            <NewFlow serverId={serverId} next={next} trigger={<Button>Settings…</Button>} />
          </span>
        </>
      }
    >
      <p>
        OAuth at this server, from its 401 to a token. Step through it to see, change and repeat each request,
        or let it run in your browser.
      </p>
      {state !== null && (
        <p className="mt-2">
          Authorization: <AuthorizationStateText state={state} />
        </p>
      )}
      {next.settings.grant === 'authorization-code' && (
        <div className="mt-2">
          <RedirectUri redirect={next.settings.redirect} />
        </div>
      )}
      {next.fault !== null && <FaultCard fault={next.fault} className="mt-3 text-left" />}
    </EmptyState>
  );
  if (credentials.length === 0) return empty;
  return (
    <Split id="authorization-begin" direction="row" className="h-full">
      <SplitPanel id="authorization-empty" min={300}>
        {empty}
      </SplitPanel>
      <SplitHandle label="Width of the credentials" />
      <SplitPanel id="authorization-stored" size="34%" min={240}>
        <AnswerTabs
          serverId={serverId}
          sessionId={sessionId}
          flow={null}
          step={null}
          credentials={credentials}
          isRecorded={false}
        />
      </SplitPanel>
    </Split>
  );
}
