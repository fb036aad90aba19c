import { Lightbulb } from 'lucide-react';
import { useMemo } from 'react';
import { PROVIDERS_READ } from '#shared/authorization/providers/provider.ts';
import type { RecognizedProvider } from '#shared/authorization/providers/recognize.ts';
import { resourceIn, withProviderSettings } from '#shared/authorization/providers/settings.ts';
import { type ShownTrap, trapsIn } from '#shared/authorization/providers/traps.ts';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { useNextFlow } from './flow-bar.tsx';
import { stepLabels } from './step-labels.ts';

/** The known traps of the provider that a step shows, each with its cause and what to do about it. */
export function TrapsAtStep({
  flow,
  step,
  isRecorded,
}: {
  readonly flow: AuthorizationFlow;
  readonly step: AuthorizationStep;
  readonly isRecorded: boolean;
}) {
  const here = useMemo(() => trapsIn(flow), [flow]).filter(({ stepId }) => stepId === step.id);
  const certain = here.filter(({ isCertain }) => isCertain);
  const possible = here.filter(({ isCertain }) => !isCertain);
  const [first] = possible;
  return (
    <>
      {certain.map((shown) => (
        <TrapCard key={shown.trap.id} flow={flow} shown={shown} isRecorded={isRecorded} />
      ))}
      {first !== undefined && (
        <details className="mx-3 mb-2 text-sm" open={flow.fault !== null}>
          <summary className="w-fit text-mute hover:text-text">
            If the page of {first.recognized.provider.label} shows an error
          </summary>
          {possible.map((shown) => (
            <TrapCard key={shown.trap.id} flow={flow} shown={shown} isRecorded={isRecorded} isInList />
          ))}
        </details>
      )}
    </>
  );
}

function TrapCard({
  flow,
  shown: { recognized, trap, isCertain },
  isRecorded,
  isInList = false,
}: {
  readonly flow: AuthorizationFlow;
  readonly shown: ShownTrap;
  readonly isRecorded: boolean;
  readonly isInList?: boolean;
}) {
  const next = useNextFlow(flow.serverId, flow);
  const { label } = recognized.provider;
  const { title, cause, wayOn, remedy, sources, shownBy } = trap;
  const phrases = isCertain ? [] : shownBy.flatMap(({ page = [] }) => page);
  const retry = () => {
    const further = remedy?.settings ?? {};
    next.retry(withProviderSettings(next.settings, further, resourceIn(flow) ?? next.serverUrl));
  };
  return (
    <section
      role="note"
      aria-label={`Known trap of ${label}: ${title}`}
      className={`${isInList ? 'mt-1.5' : 'mx-3 mb-2'} rounded-ui border border-line border-l-2 border-l-accent bg-panel px-3 py-2 [overflow-wrap:anywhere]`}
    >
      <div className="flex gap-2">
        <Lightbulb aria-hidden className="mt-0.5 size-3.5 shrink-0 text-accent" />
        <div className="min-w-0 flex-1">
          <p className="font-medium">{title}</p>
          {phrases.length > 0 && <p className="mono text-xs text-mute">{phrases.join(', ')}</p>}
          <p className="mt-0.5 text-mute">{cause}</p>
          <p className="mt-0.5">{wayOn}</p>
          {remedy !== null && !isRecorded && (
            <Button size="small" className="mt-1.5" disabled={next.isRunning} onClick={retry}>
              {remedy.label}
            </Button>
          )}
          <p className="mt-1 text-xs text-faint">
            {recognitionTexts[recognized.by](label)} Source: {sources.map((one) => one.title).join('; ')},
            read on {PROVIDERS_READ}.
          </p>
        </div>
      </div>
      {next.fault !== null && <FaultCard fault={next.fault} className="mt-2" />}
    </section>
  );
}

const recognitionTexts: Readonly<Record<RecognizedProvider['by'], (label: string) => string>> = {
  chosen: (label) => `The settings say that this is ${label}.`,
  host: (label) => `${label}, by its host.`,
  paths: (label) => `Looks like ${label}, by the paths of its addresses.`,
  words: (label) => `${label}, by what it answered.`,
};

/** Every known trap that a flow shows, with its step. */
export function KnownTraps({
  flow,
  onSelect,
}: {
  readonly flow: AuthorizationFlow;
  readonly onSelect: (step: AuthorizationStep) => void;
}) {
  const certain = useMemo(() => trapsIn(flow), [flow]).filter(({ isCertain }) => isCertain);
  if (certain.length === 0) return null;
  return (
    <section aria-labelledby="known-traps" className="px-3.5 pb-2">
      <h3 id="known-traps" className="caption text-faint">
        Known traps
      </h3>
      <ul aria-labelledby="known-traps">
        {certain.map(({ recognized, trap, stepId }) => {
          const step = flow.steps.find(({ id }) => id === stepId);
          return (
            step !== undefined && (
              <li key={`${recognized.provider.id} ${trap.id}`} className="flex gap-1.5 pt-1">
                <Lightbulb aria-hidden className="mt-[3px] size-3.5 shrink-0 text-accent" />
                <div className="min-w-0 flex-1">
                  <button type="button" onClick={() => onSelect(step)} className="text-left hover:underline">
                    {trap.title}
                  </button>
                  <p className="text-xs leading-4 text-faint">
                    {recognized.provider.label} · {stepLabels[step.name]}
                  </p>
                </div>
              </li>
            )
          );
        })}
      </ul>
    </section>
  );
}
