import { FlaskConical, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { beginFlow, showFlow, writeDocument } from '#model/authorization.ts';
import { openEditor } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { useAction } from '#model/use-query.ts';
import { resourceOfUrl } from '#shared/authorization/providers/settings.ts';
import {
  type AuthorizationFlow,
  type AuthorizationSettings,
  defaultAuthorization,
} from '#shared/contract/authorization.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { revisions } from '#shared/protocol/revisions.ts';
import { AuthorizationFields, registrationLabels } from '#ui/authorization-fields.tsx';
import { Button, IconButton } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { SelectBox } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';
import { Segmented } from '#ui/segmented.tsx';
import { AttemptsButton } from './attempts-dialog.tsx';
import { chooseForFlow, useFlowChoices } from './flow-choices.ts';
import { FlowExport } from './flow-export.tsx';
import { flowStateLabels } from './step-labels.ts';

const modes = [
  { id: 'automatic', label: 'Automatic' },
  { id: 'stepped', label: 'Stepped' },
] as const;

/** Which flow is on screen, and how the next one runs. */
export function FlowBar({
  serverId,
  flows,
  flow,
  isRecorded,
}: {
  readonly serverId: string;
  readonly flows: readonly AuthorizationFlow[];
  readonly flow: AuthorizationFlow;
  readonly isRecorded: boolean;
}) {
  const next = useNextFlow(serverId, flow);
  const { mode, revision, registration } = next;
  const options = flows.map(({ id, number, state }) => ({
    value: id,
    label: id === flow.id ? `Flow ${number}` : `Flow ${number} · ${flowStateLabels[state]}`,
  }));
  return (
    <>
      <div className="@container flex min-h-9 shrink-0 flex-wrap items-center gap-1 border-b border-line px-2 py-1">
        <SelectBox
          aria-label="Flow"
          size="small"
          value={flow.id}
          options={options}
          onChange={(id) => showFlow({ sessionId: flow.sessionId, id })}
          className="w-[74px]"
        />
        <Segmented
          label="How the flow runs"
          value={mode}
          onChange={(chosen) => chooseForFlow(serverId, { mode: chosen })}
          options={modes.map((one) => ({ ...one, disabled: isRecorded }))}
        />
        <span className="ml-auto flex flex-wrap items-center gap-1">
          <RevisionChoice
            value={revision}
            disabled={isRecorded}
            onChange={(chosen) => chooseForFlow(serverId, { revision: chosen })}
          />
          <SelectBox
            aria-label="Registration"
            size="small"
            value={registration}
            disabled={isRecorded}
            options={registrations}
            onChange={(chosen) => next.changeSettings({ registration: chosen })}
            className="w-[126px] @max-[478px]:hidden"
          />
          <AttemptsButton flow={flow} />
          <FlowExport flow={flow} />
          {!isRecorded && <NewFlow serverId={serverId} next={next} />}
        </span>
      </div>
      {flow.testProvider !== null && (
        <TestProviderNote issuer={flow.testProvider} isRunning={!isRecorded && !isOver(flow.state)} />
      )}
      {next.fault !== null && <FaultCard fault={next.fault} className="m-2" />}
    </>
  );
}

const isOver = (state: AuthorizationFlow['state']): boolean =>
  state === 'done' || state === 'failed' || state === 'cancelled';

/** Says that the identity provider of the flow is not a real one. */
function TestProviderNote({ issuer, isRunning }: { readonly issuer: string; readonly isRunning: boolean }) {
  return (
    <div
      role="note"
      aria-label="Test identity provider"
      className="flex shrink-0 items-start gap-2 border-b border-line bg-accent-soft/40 px-3 py-1.5"
    >
      <FlaskConical aria-hidden className="mt-[3px] size-3.5 shrink-0 text-accent" />
      <div className="min-w-0 flex-1">
        <p>
          The identity provider is <span className="font-medium">a test identity provider of Sightglass</span>
          , not a real one.
        </p>
        <p className="text-xs text-mute">
          {isRunning ? 'It runs until the flow ends. Issuer' : 'It was closed with the flow. Issuer'}{' '}
          <PlainText inline text={issuer} className="mono" />
        </p>
      </div>
      {isRunning && <CopyButton label="Copy the issuer" text={issuer} />}
    </div>
  );
}

const registrations = (['auto', 'pre-registered', 'metadata-document', 'dynamic'] as const).map((value) => ({
  value,
  label: registrationLabels[value],
}));

/** What the next flow of a server is begun with. */
export interface NextFlow {
  readonly mode: AuthorizationFlow['mode'];
  /** Null for the negotiated one. */
  readonly revision: string | null;
  readonly registration: AuthorizationSettings['registration'];
  readonly settings: AuthorizationSettings;
  /** Whether it differs from the flow on screen. */
  readonly isDifferent: boolean;
  readonly changeSettings: (change: Partial<AuthorizationSettings>) => void;
  readonly begin: (mode: AuthorizationFlow['mode']) => void;
  /** Begins one in the mode of the flow on screen, with these settings changed. They stay for later ones. */
  readonly retry: (change: Partial<AuthorizationSettings>) => void;
  /** Of the server, without a query that may hold a secret; empty if it is not known. */
  readonly serverUrl: string;
  readonly isRunning: boolean;
  readonly fault: Fault | null;
}

/** @param flow the one on screen, whose choices hold unless the user makes others; null without one */
export function useNextFlow(serverId: string, flow: AuthorizationFlow | null): NextFlow {
  const choices = useFlowChoices(serverId);
  const ofServer = useServers(({ servers }) => servers.find(({ id }) => id === serverId)?.transport);
  const stored =
    ofServer?.kind === 'http' ? (ofServer.authorization ?? defaultAuthorization) : defaultAuthorization;
  const {
    mode = flow?.mode ?? (stored.mode === 'automatic' ? 'automatic' : 'stepped'),
    revision = revisionOf(flow),
    settings: own = {},
  } = choices;
  const registration = own.registration ?? flow?.registration ?? stored.registration;
  const action = useAction(async (as: AuthorizationFlow['mode'], changed: Partial<AuthorizationSettings>) => {
    const settings = { ...own, ...changed };
    await beginFlow({ serverId, mode: as, revision, settings });
    chooseForFlow(serverId, { mode: as, settings });
  });
  return {
    mode,
    revision,
    registration,
    settings: { ...stored, ...own, registration },
    isDifferent:
      flow !== null &&
      (mode !== flow.mode || revision !== revisionOf(flow) || registration !== flow.registration),
    changeSettings: (change) => chooseForFlow(serverId, { settings: { ...own, ...change } }),
    begin: (as) => void action.run(as, {}),
    retry: (change) => void action.run(flow?.mode ?? mode, change),
    serverUrl: ofServer?.kind === 'http' ? resourceOfUrl(ofServer.url) : '',
    isRunning: action.isRunning,
    fault: action.fault,
  };
}

/** The revision that a flow was begun with; null for the negotiated one. */
const revisionOf = (flow: AuthorizationFlow | null): string | null =>
  flow?.isRevisionKnown === true ? flow.revision : null;

/** The revision whose rules apply. */
export function RevisionChoice({
  value,
  disabled,
  onChange,
}: {
  readonly value: string | null;
  readonly disabled?: boolean;
  readonly onChange: (revision: string | null) => void;
}) {
  const known = revisions.map(({ id }) => id as string).toReversed();
  const all = value !== null && !known.includes(value) ? [value, ...known] : known;
  return (
    <SelectBox
      aria-label="Revision"
      size="small"
      value={value ?? NEGOTIATED}
      disabled={disabled}
      options={[
        { value: NEGOTIATED, label: 'Negotiated' },
        ...all.map((revision) => ({ value: revision, label: revision })),
      ]}
      onChange={(chosen) => onChange(chosen === NEGOTIATED ? null : chosen)}
      className="w-[104px]"
    />
  );
}

const NEGOTIATED = 'negotiated';

/** The other settings of the next flow, and what begins it. */
export function NewFlow({
  serverId,
  next,
  trigger,
}: {
  readonly serverId: string;
  readonly next: NextFlow;
  /** The button that opens it; a plus sign by default. */
  readonly trigger?: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Popover
        label="New flow"
        open={isOpen}
        onOpenChange={setOpen}
        align="end"
        className="w-[440px] max-w-[calc(100vw-16px)]"
        trigger={
          trigger ?? (
            <IconButton size="small" label="New flow…">
              <Plus aria-hidden className="size-3.5" />
            </IconButton>
          )
        }
      >
        <AuthorizationFields
          settings={next.settings}
          serverUrl={next.serverUrl}
          onChange={next.changeSettings}
          onWriteDocument={() => writeDocument(serverId, next.settings)}
        />
        <div className="mt-3 flex items-center gap-2">
          <Button
            size="small"
            variant="primary"
            disabled={next.isRunning}
            onClick={() => {
              setOpen(false);
              next.begin(next.mode);
            }}
          >
            Begin
          </Button>
          <span className="text-xs text-faint">
            {next.mode === 'stepped' ? 'Stops before each step.' : 'Runs without stopping.'} For flows that
            you begin here.
          </span>
          <Button size="small" variant="quiet" className="ml-auto" onClick={() => openEditor(serverId)}>
            Server settings…
          </Button>
        </div>
      </Popover>
      {next.isDifferent && (
        <Button
          size="small"
          variant="primary"
          disabled={next.isRunning}
          onClick={() => next.begin(next.mode)}
        >
          Begin
        </Button>
      )}
    </>
  );
}
