import { Ellipsis } from 'lucide-react';
import { useMemo } from 'react';
import { type Command, useCommands } from '#model/commands.ts';
import { browserUrl, stepCommand } from '#shared/authorization/step-command.ts';
import type { AuthorizationFlow, AuthorizationStep, StepRequest } from '#shared/contract/authorization.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { IconButton } from '#ui/button.tsx';
import { copyText } from '#ui/clipboard.ts';
import { Menu, type MenuEntry } from '#ui/menu.tsx';
import { reportFault, toastNote } from '#ui/toaster.tsx';
import { asSent, revealedRequest, useRequestDraft } from './request-draft.ts';

/** Copies the request of a step, by a menu and by commands. */
export function StepCopyMenu({
  flow,
  step,
  isRecorded,
}: {
  readonly flow: AuthorizationFlow;
  readonly step: AuthorizationStep;
  readonly isRecorded: boolean;
}) {
  const entries = useStepCopies(flow, step, isRecorded);
  useCommands(
    useMemo(
      () =>
        entries
          .filter(({ disabled }) => disabled !== true)
          .map(
            ({ label, onSelect }): Command => ({
              id: `authorization.${label.toLowerCase().replaceAll(' ', '-')}`,
              title: `${label} of the selected step`,
              group: 'Authorization',
              keywords: ['clipboard', 'copy'],
              run: onSelect,
            }),
          ),
      [entries],
    ),
  );
  return (
    <Menu
      trigger={
        <IconButton size="small" label="Copy the step as…">
          <Ellipsis aria-hidden className="size-3.5" />
        </IconButton>
      }
      entries={entries}
    />
  );
}

/** How the request of a step can be copied; one disabled entry with the reason if it cannot be. */
export function useStepCopies(
  flow: AuthorizationFlow,
  step: AuthorizationStep,
  isRecorded: boolean,
): readonly MenuEntry[] {
  const { request: given = null, wrongValue = null } = useRequestDraft(flow, step) ?? {};
  return useMemo(() => {
    if (given === null) return [nothing(whyNot(step))];
    const request = asSent(flow, step, { request: given, wrongValue });
    if (request.sentBy === 'browser')
      return [{ label: 'Copy the URL for the browser', onSelect: () => copy(copyUrl(request)) }];
    const hasSecrets = [...request.query, ...request.headers, ...request.body].some(
      ({ value, isOn }) => value === null && isOn,
    );
    const entry = { label: 'Copy as curl', onSelect: () => copy(copyCommand(request, isRecorded)) };
    if (!hasSecrets || isRecorded) return [entry];
    const withSecrets = async () => copyCommand(await revealedRequest(flow, step, request), false);
    return [entry, { label: 'Copy as curl with its secrets', onSelect: () => copy(withSecrets()) }];
  }, [flow, step, given, wrongValue, isRecorded]);
}

const copy = (copying: Promise<void>): void => reportFault(copying);

const nothing = (reason: string): MenuEntry => ({
  label: `No command: ${reason}`,
  onSelect: () => undefined,
  disabled: true,
});

function whyNot({ name, row, state }: AuthorizationStep): string {
  if (name === 'callback') return 'the browser sends the callback to Sightglass';
  if (state === 'planned') return 'its request is built when the flow gets there';
  return row === null ? 'this step sends no request' : 'the session sent the request; copy it at its row';
}

async function copyUrl(request: StepRequest): Promise<void> {
  const url = browserUrl(request);
  await toClipboard(url);
  toastNote(url.includes('[secret ') ? 'Copied. Replace [secret …] with their values.' : 'Copied.');
}

/** @param isRecorded then the secrets are texts to replace, and no variables */
async function copyCommand(request: StepRequest, isRecorded: boolean): Promise<void> {
  const command = stepCommand(request, isRecorded ? 'placeholders' : 'variables');
  if (command === null)
    throw new FaultError({
      code: 'no-command',
      what: 'This request cannot be written as a curl command.',
      why: 'Its URL does not begin with http:// or https://.',
    });
  await toClipboard(command.text);
  const { text, variables } = command;
  const proof = variables.some((name) => name.startsWith('DPOP_PROOF'))
    ? ' A DPoP proof is for one request and one moment: sign a new one (RFC 9449 4.2).'
    : '';
  if (variables.length > 0) toastNote(`Copied. Set ${variables.join(', ')} first.${proof}`);
  else if (text.includes('[secret ')) toastNote('Copied. Replace [secret …] with their values.');
  else toastNote('Copied.');
}

async function toClipboard(text: string): Promise<void> {
  if (await copyText(text)) return;
  throw new FaultError({ code: 'not-copied', what: 'The browser denied access to the clipboard.' });
}
