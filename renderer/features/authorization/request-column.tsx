import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import { useAction } from '#model/use-query.ts';
import { placeOfPart } from '#shared/authorization/parameters.ts';
import { findWrongValue, wrongValuesFor } from '#shared/authorization/wrong-values.ts';
import type { AuthorizationFlow, AuthorizationStep, StepRequest } from '#shared/contract/authorization.ts';
import { Button } from '#ui/button.tsx';
import { Chip, type Tone } from '#ui/chip.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { Input, SelectBox } from '#ui/field.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { RowLink } from '#ui/row-link.tsx';
import { TabPanel, Tabs } from '#ui/tabs.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { AssertionFields, signsAssertion } from './assertion-fields.tsx';
import { BrowserStep, IssuerChoice } from './browser-step.tsx';
import { FlowQuestionCard } from './flow-question.tsx';
import { LateWait } from './late-wait.tsx';
import { linesOf } from './flow-lines.ts';
import { ManualEntry } from './manual-entry.tsx';
import { ParameterList } from './parameter-list.tsx';
import { TrapsAtStep } from './provider-traps.tsx';
import { ReceivedCallbacks } from './received-callbacks.tsx';
import {
  asSent,
  changeRequest,
  isEditable as isEditableStep,
  plannedRequest,
  resetRequest,
  revealedUrl,
  useIsChanged,
  useRequestDraft,
  wholeUrl,
} from './request-draft.ts';
import { StepCopyMenu } from './step-copy.tsx';
import { stateLabels, stepLabels } from './step-labels.ts';
import { wrongValueMenu, WrongValueNote, WrongValues } from './wrong-values.tsx';

const tones: Readonly<Partial<Record<AuthorizationStep['state'], Tone>>> = {
  stopped: 'accent',
  running: 'accent',
  waiting: 'warn',
  done: 'ok',
  failed: 'error',
};

/** The request of one step, editable while the flow is stopped before it; what came of it, and why it was so. */
export function RequestColumn({
  flow,
  step,
  isRecorded,
}: {
  readonly flow: AuthorizationFlow;
  readonly step: AuthorizationStep;
  readonly isRecorded: boolean;
}) {
  const line = linesOf(flow).find((one) => one.step.id === step.id);
  const isChanged = useIsChanged(flow, step);
  const isWaiting = step.id === flow.currentStep && flow.state === 'waiting' && !isRecorded;
  return (
    <section aria-label="Step" className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 px-3 pt-2 pb-1.5">
        <span className="mono text-faint">{line?.number}</span>
        <h2 className="min-w-0 truncate text-lg font-semibold">{stepLabels[step.name]}</h2>
        <Chip tone={tones[step.state] ?? 'neutral'} className="bg-panel">
          {stateLabels[step.state]}
        </Chip>
        {isChanged && (
          <Chip tone="accent" className="bg-panel">
            edited
          </Chip>
        )}
        {step.isOverridden && (
          <Chip tone="warn" className="bg-panel">
            continued anyway
          </Chip>
        )}
        {step.label !== '' && <span className="min-w-0 truncate text-mute">{visibleLine(step.label)}</span>}
        <span className="ml-auto flex items-center gap-2 text-sm text-mute">
          {step.request?.sentBy === 'browser' && (
            <span className="flex items-center gap-1">
              opens in your browser <ExternalLink aria-hidden className="size-3" />
            </span>
          )}
          <RowLink row={step.row} onOpen={(row) => selectTraceRow(flow.sessionId, row)} />
          <StepCopyMenu flow={flow} step={step} isRecorded={isRecorded} />
        </span>
      </div>
      {isAssessed(step) && <WrongValueNote step={step} name={step.wrongValue} onRemove={null} />}
      {step.outcome !== '' && (
        <PlainText
          text={step.outcome}
          className={cx('px-3 pb-1.5', step.state === 'failed' ? 'text-err' : 'text-mute')}
        />
      )}
      {flow.fault !== null && (
        <FaultCard
          fault={flow.fault}
          className="mx-3 mb-2"
          actions={!isRecorded && (flow.canOverride || flow.entry !== null) && <WaysOn flow={flow} />}
        />
      )}
      {isWaiting && flow.question !== null && <FlowQuestionCard flow={flow} question={flow.question} />}
      {isWaiting && flow.issuers.length > 0 && <IssuerChoice flow={flow} />}
      {isWaiting && flow.browserUrl !== null && <BrowserStep flow={flow} url={flow.browserUrl} />}
      <TrapsAtStep flow={flow} step={step} isRecorded={isRecorded} />
      {step.lateUntil !== null && !isRecorded && <LateWait flow={flow} until={step.lateUntil} />}
      <ReceivedCallbacks flow={flow} step={step} />
      {step.request === null ? (
        step.callbacks.length === 0 && (
          <p className="px-3 pb-2 text-mute">
            {step.state === 'planned'
              ? 'Its request is built when the flow gets there.'
              : step.response === null
                ? 'This step sends no request.'
                : 'The session sent the request of this step. Its row in the trace shows it.'}
          </p>
        )
      ) : (
        <Request key={`${flow.id} ${step.id}`} flow={flow} step={step} isRecorded={isRecorded} />
      )}
      <Rule flow={flow} step={step} isRecorded={isRecorded} />
    </section>
  );
}

/** Whether its wrong value was accepted or rejected, which is then said before the fault that follows from it. */
const isAssessed = (step: AuthorizationStep): step is AuthorizationStep & { readonly wrongValue: string } =>
  step.wrongValue !== null && step.isWrongAccepted !== null;

/** How a stepped flow can go on after its fault; it never does by itself. */
const WaysOn = ({ flow }: { readonly flow: AuthorizationFlow }) => (
  <>
    {flow.canOverride && <Override flow={flow} />}
    {flow.entry !== null && <ManualEntry flow={flow} entry={flow.entry} />}
  </>
);

/** Continues after the fault. */
function Override({ flow }: { readonly flow: AuthorizationFlow }) {
  const goOn = useAction(async () => {
    await call('authorization/override', { flowId: flow.id });
  });
  return (
    <Button size="small" disabled={goOn.isRunning} onClick={() => void goOn.run()}>
      Continue anyway
    </Button>
  );
}

type TabId = 'query' | 'headers' | 'body' | 'url';

function Request({
  flow,
  step,
  isRecorded,
}: {
  readonly flow: AuthorizationFlow;
  readonly step: AuthorizationStep;
  readonly isRecorded: boolean;
}) {
  const draft = useRequestDraft(flow, step);
  const isChanged = useIsChanged(flow, step);
  const [chosenTab, chooseTab] = useState<TabId | null>(null);
  if (draft === null || step.request === null) return null;
  const { wrongValue } = draft;
  const wrong = wrongValue === null ? null : findWrongValue(wrongValue);
  const request = asSent(flow, step, draft);
  const given = plannedRequest(step)?.request ?? step.request;
  const canChange = isEditableStep(flow, step) && !isRecorded;
  // The wrong value changes what is shown: it is removed to edit the rest.
  const isEditable = canChange && wrong === null;
  const change = (part: Partial<StepRequest>) =>
    changeRequest(flow, step, { ...draft, request: { ...draft.request, ...part } });
  const wrongs = canChange ? wrongValuesFor(step.name, draft.request) : [];
  const choose = (name: string | null) => changeRequest(flow, step, { ...draft, wrongValue: name });
  const tabs: readonly TabId[] =
    given.bodyKind === 'none' ? ['query', 'headers', 'url'] : ['query', 'headers', 'body', 'url'];
  const first = given.query.length === 0 && given.bodyKind !== 'none' ? 'body' : 'query';
  const tab = chosenTab !== null && tabs.includes(chosenTab) ? chosenTab : first;
  const listOf = (part: 'query' | 'headers' | 'body', label: string) => (
    <ParameterList
      label={label}
      parameters={request[part]}
      place={placeOfPart(step, part)}
      given={given[part]}
      isEditable={isEditable}
      onChange={(parameters) => change({ [part]: parameters })}
      reveal={
        isRecorded
          ? null
          : async (name) =>
              (await call('authorization/reveal', { flowId: flow.id, stepId: step.id, name })).value
      }
      onRow={(row) => selectTraceRow(flow.sessionId, row)}
      wrongName={wrong?.parameter ?? null}
      menuOf={(name) => wrongValueMenu(wrongs, name, wrongValue, choose)}
    />
  );
  const counts = { query: request.query, headers: request.headers, body: request.body };
  return (
    <>
      <div className="flex shrink-0 gap-1.5 px-3 pb-2">
        {isEditable ? (
          <>
            <SelectBox
              aria-label="Method"
              size="small"
              value={request.method}
              options={methodsWith(request.method)}
              onChange={(method) => change({ method })}
              className="w-24 shrink-0"
            />
            <Input
              aria-label="URL of the request"
              value={request.url}
              onChange={({ target }) => change({ url: target.value })}
              className="mono h-6 min-w-0"
            />
          </>
        ) : (
          <p className="mono min-w-0 rounded-ui border border-line bg-panel px-2 py-0.5 [overflow-wrap:anywhere]">
            <span className="text-mute">{visibleLine(request.method)}</span> {visibleLine(request.url)}
          </p>
        )}
      </div>
      {wrongValue !== null && !isAssessed(step) && (
        <WrongValueNote step={step} name={wrongValue} onRemove={canChange ? () => choose(null) : null} />
      )}
      <Tabs
        label="Parts of the request"
        size="detail"
        tabs={tabs.map((id) => ({
          id,
          label: tabLabels[id],
          ...(id !== 'url' && { count: counts[id].filter(({ isOn }) => isOn).length }),
        }))}
        value={tab}
        onChange={chooseTab}
        trailing={
          <>
            {isChanged && canChange && (
              <Button size="small" variant="quiet" onClick={() => resetRequest(flow, step)}>
                Reset<span className="@max-[480px]:hidden"> changes</span>
              </Button>
            )}
            <WrongValues values={wrongs} chosen={wrongValue} onChoose={choose} />
          </>
        }
        className="@container shrink-0"
      >
        <TabPanel id="query">{listOf('query', 'Query parameters')}</TabPanel>
        <TabPanel id="headers">{listOf('headers', 'Headers')}</TabPanel>
        {given.bodyKind !== 'none' && (
          <TabPanel id="body">
            {listOf('body', given.bodyKind === 'form' ? 'Form fields' : 'Members of the JSON body')}
            {draft.assertion !== null && signsAssertion(draft.request) && (
              <AssertionFields
                assertion={draft.assertion}
                planned={plannedRequest(step)?.assertion ?? draft.assertion}
                isEditable={isEditable}
                onChange={(assertion) => changeRequest(flow, step, { ...draft, assertion })}
              />
            )}
          </TabPanel>
        )}
        <TabPanel id="url" className="flex items-start gap-1 px-3 py-2">
          <PlainText text={wholeUrl(request)} className="mono min-w-0 flex-1" />
          {!isRecorded && (
            <CopyButton label="Copy the whole URL" text={() => revealedUrl(flow, step, request)} />
          )}
        </TabPanel>
      </Tabs>
    </>
  );
}

const tabLabels: Readonly<Record<TabId, string>> = {
  query: 'Query',
  headers: 'Headers',
  body: 'Body',
  url: 'Whole URL',
};

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD'];

const methodsWith = (own: string): readonly { readonly value: string; readonly label: string }[] =>
  [...new Set([own, ...methods])].map((value) => ({ value, label: value }));

/** The rule that decided the step, and what was not done. */
function Rule({
  flow,
  step: { decidedBy, alternatives, name },
  isRecorded,
}: {
  readonly flow: AuthorizationFlow;
  readonly step: AuthorizationStep;
  readonly isRecorded: boolean;
}) {
  const canScan = !isRecorded && (name === 'server-metadata' || name === 'resource-metadata');
  if (decidedBy === null && alternatives.length === 0 && !canScan) return null;
  return (
    <section aria-label="Why" className="mt-3 px-3 pb-3">
      <h3 className="caption mb-1">Why</h3>
      {decidedBy !== null && (
        <p>
          <PlainText inline text={decidedBy.text} />{' '}
          <span className="text-xs whitespace-nowrap text-faint">{visibleLine(decidedBy.source)}</span>
        </p>
      )}
      {alternatives.length > 0 && (
        <ul aria-label="What was not done" className="mt-1">
          {alternatives.map(({ label, why }, at) => (
            <li key={at} className="py-0.5">
              <PlainText inline text={label} className="text-mute" />
              <span className="text-faint">: </span>
              <PlainText inline text={why} className="text-mute" />
            </li>
          ))}
        </ul>
      )}
      {canScan && (
        <Button
          size="small"
          className="mt-2"
          onClick={() => reportFault(call('authorization/scan', { flowId: flow.id }))}
        >
          Scan all candidates
        </Button>
      )}
    </section>
  );
}
