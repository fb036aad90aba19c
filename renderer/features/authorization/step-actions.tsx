import { GitFork, X } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { call } from '#bridge';
import { type Command, useCommands, useShortcut } from '#model/commands.ts';
import { useAction } from '#model/use-query.ts';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { leaveStep, runToEnd, sendStep } from './request-draft.ts';

/** Sends, takes back, skips and forks steps. The buttons keep their places; those without effect are disabled. */
export function StepActions({
  flow,
  step,
  onSent,
}: {
  readonly flow: AuthorizationFlow;
  /** The step that is looked at. */
  readonly step: AuthorizationStep;
  /** Called before the flow goes on. */
  readonly onSent: () => void;
}) {
  const ofFlow = { flowId: flow.id };
  const act = useAction(async (perform: () => Promise<unknown>) => {
    onSent();
    await perform();
  });
  const run = (perform: () => Promise<unknown>) => (): void => void act.run(perform);
  const { state, currentStep, steps } = flow;
  const isStopped = state === 'stopped';
  const hasBefore = steps.some(({ id, state: own }) => id !== currentStep && hasHappened(own));
  const can = {
    send: isStopped,
    back: (isStopped || state === 'waiting' || state === 'failed') && hasBefore,
    skip: isStopped,
    fork: state !== 'running' && hasHappened(step.state) && step.id !== currentStep,
    run: isStopped,
    override: flow.canOverride,
    cancel: isStopped || state === 'running' || state === 'waiting',
  };
  const send = run(() => sendStep(flow));
  const back = run(() => leaveStep(flow, 'authorization/back'));
  const skip = run(() => leaveStep(flow, 'authorization/skip'));
  const fork = run(() => leaveStep(flow, 'authorization/fork', { stepId: step.id }));
  const toEnd = run(() => runToEnd(flow));
  const override = run(() => call('authorization/override', ofFlow));
  const cancel = run(() => call('authorization/cancel', ofFlow));
  const bar = useRef<HTMLDivElement>(null);
  const canKey = Object.values(can).join();
  useCommands(
    useMemo(() => {
      const group = 'Authorization';
      const all: readonly (Command | false)[] = [
        can.send && {
          id: SEND,
          title: 'Send the stopped step',
          group,
          shortcut: SEND_KEY,
          within: () => paneOf(bar.current),
          run: send,
        },
        can.back && { id: 'authorization.back', title: 'Take the last step back', group, run: back },
        can.skip && { id: 'authorization.skip', title: 'Skip the stopped step', group, run: skip },
        can.fork && { id: 'authorization.fork', title: 'Fork at the selected step', group, run: fork },
        can.run && { id: 'authorization.run', title: 'Run the flow to its end', group, run: toEnd },
        can.override && {
          id: 'authorization.override',
          title: 'Continue anyway',
          group,
          run: override,
        },
        can.cancel && { id: 'authorization.cancel', title: 'Cancel the flow', group, run: cancel },
      ];
      return all.filter((one) => one !== false);
      // oxlint-disable-next-line react/exhaustive-deps -- the actions are the same for one state of the flow
    }, [flow, step.id, canKey]),
  );
  const sendKey = useShortcut(SEND, SEND_KEY);
  const isBusy = act.isRunning;
  return (
    <>
      <div
        ref={bar}
        role="group"
        aria-label="Steps of the flow"
        className="@container flex min-h-9 shrink-0 flex-wrap items-center gap-1 border-b border-line px-2 py-1"
      >
        <Button
          size="small"
          variant="primary"
          shortcut={sendKey}
          disabled={!can.send || isBusy}
          onClick={send}
        >
          Send step
        </Button>
        <Button size="small" disabled={!can.back || isBusy} onClick={back}>
          Back
        </Button>
        <Button size="small" disabled={!can.skip || isBusy} onClick={skip}>
          Skip
        </Button>
        <Button
          size="small"
          aria-label="Fork here"
          title="Fork here: stop before the selected step again, in a branch of its own"
          disabled={!can.fork || isBusy}
          icon={<GitFork aria-hidden className="size-3 text-faint" />}
          onClick={fork}
        >
          <span className="@max-[440px]:hidden">Fork here</span>
        </Button>
        <span className="ml-auto flex items-center gap-1">
          <Button size="small" disabled={!can.run || isBusy} onClick={toEnd}>
            Run<span className="-ml-[3px] @max-[440px]:sr-only"> to end</span>
          </Button>
          <IconButton size="small" label="Cancel the flow" disabled={!can.cancel} onClick={cancel}>
            <X aria-hidden className="size-3.5" />
          </IconButton>
        </span>
      </div>
      {act.fault !== null && <FaultCard fault={act.fault} className="m-2" />}
    </>
  );
}

/** The pane around the bar. */
function paneOf(bar: Element | null): Element | null {
  const flow = bar?.closest('[data-flow]') ?? null;
  return flow?.closest('[role=tabpanel]') ?? flow;
}

const SEND = 'authorization.send';
const SEND_KEY = 'F10';

const hasHappened = (state: AuthorizationStep['state']): boolean =>
  state === 'done' || state === 'failed' || state === 'skipped';
