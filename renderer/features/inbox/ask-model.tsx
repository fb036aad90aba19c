import { useMemo } from 'react';
import { create } from 'zustand';
import { call } from '#bridge';
import { faultOf } from '#model/faults.ts';
import { latestSession, useSessions } from '#model/sessions.ts';
import { useServers } from '#model/servers.ts';
import { useSettings } from '#model/settings.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import { completionsUrl } from '#shared/contract/language-model.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { SelectBox, TextField } from '#ui/field.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { AnswerDraft } from './answer-draft.ts';
import { chatRequest, readCompletion } from './chat-completion.ts';
import { chooseModel } from './model-hints.ts';
import { Part, Warning } from './pane-layout.tsx';
import {
  changedSampling,
  changePrompt,
  type PromptContext,
  promptContexts,
  usePromptDraft,
} from './prompt-draft.ts';
import type { Sampling } from './read-question.ts';

/** One request to the model, and what came of it. */
interface Attempt {
  readonly number: number;
  readonly model: string;
  readonly state: 'running' | 'done' | 'failed';
  /** JSON text of the answer; null while there is none. */
  readonly answer: string | null;
  /** Duration, tokens and cost in words. */
  readonly note: string;
  readonly fault: Fault | null;
}

/** Requests to the model by entry id, oldest first. */
const useAttempts = create<Readonly<Record<string, readonly Attempt[]>>>()(() => ({}));

const noAttempts: readonly Attempt[] = [];

const setAttempt = (entryId: string, attempt: Attempt): void =>
  useAttempts.setState(({ [entryId]: before = [] }) => ({
    [entryId]: [...before.filter(({ number }) => number !== attempt.number), attempt],
  }));

/** Lets a model of the user write the answer: the user approves what it gets, and later what the server gets. */
export function AskModel({
  entry,
  sampling,
  draft,
}: {
  readonly entry: InboxEntry;
  readonly sampling: Sampling;
  readonly draft: AnswerDraft;
}) {
  const { modelUrl, modelNames } = useSettings();
  const prompt = usePromptDraft(entry.id);
  const attempts = useAttempts((byEntry) => byEntry[entry.id] ?? noAttempts);
  const model = prompt.model ?? chooseModel(sampling.modelPreferences, modelNames).model ?? '';
  const context = useContextText(entry.sessionId, prompt.context);
  const body = useMemo(
    () => JSON.stringify(chatRequest(changedSampling(sampling, prompt), model, context)),
    [sampling, prompt, model, context],
  );
  if (modelUrl === null) return null;
  const isRunning = attempts.some(({ state }) => state === 'running');
  const ask = async () => {
    const started: Attempt = {
      number: attempts.length + 1,
      model,
      state: 'running',
      answer: null,
      note: 'asking…',
      fault: null,
    };
    setAttempt(entry.id, started);
    try {
      const { text, duration } = await call('model/ask', {
        sessionId: entry.sessionId,
        entryId: entry.id,
        body,
      });
      const read = readCompletion(text, model);
      const note = [`${Math.round(duration)} ms`, read?.usage ?? 'no usage reported'].join(' · ');
      setAttempt(entry.id, { ...started, state: 'done', answer: read?.answer ?? null, note });
      if (read !== null) draft.write(read.answer);
    } catch (error) {
      setAttempt(entry.id, { ...started, state: 'failed', note: 'failed', fault: faultOf(error) });
    }
  };
  const lastFault = attempts.at(-1)?.fault ?? null;
  return (
    <Part name="Ask your model" note="nothing is sent before you approve it">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(150px,1fr))] gap-2.5">
        <TextField
          label="Model to ask"
          mono
          value={model}
          onChange={(name) => changePrompt(entry.id, { model: name })}
        />
        <div>
          <div className="mb-1 font-medium">Context</div>
          <SelectBox
            aria-label="Context"
            value={prompt.context}
            options={promptContexts.map((value) => ({ value, label: contextLabels[value] }))}
            onChange={(chosen) => changePrompt(entry.id, { context: chosen })}
          />
        </div>
      </div>
      {prompt.context === 'allServers' && (
        <Warning tone="warn">
          The model then gets the instructions of all connected servers, and this server may learn of them
          from its answer.
        </Warning>
      )}
      <details className="mt-2">
        <summary className="w-fit text-sm text-mute hover:text-text">
          What the model gets, at{' '}
          <span className="mono">{visibleLine(withoutUrlSecrets(completionsUrl(modelUrl)))}</span>
        </summary>
        <JsonText raw={body} className="mt-1 rounded-ui border border-line bg-raise px-2.5 py-1.5" />
      </details>
      <Button className="mt-2" disabled={isRunning || model === ''} onClick={() => void ask()}>
        {attempts.length === 0 ? 'Approve and ask the model' : 'Approve and ask again'}
      </Button>
      {attempts.length > 0 && (
        <ul aria-label="Answers of the model" className="mt-2 flex flex-col gap-1 text-sm">
          {attempts.map((attempt) => (
            <li key={attempt.number} className="flex items-center gap-2">
              <span className="mono min-w-0 truncate">{visibleLine(attempt.model)}</span>
              <span role="status" className="min-w-0 flex-1 text-mute">
                {attempt.note}
              </span>
              {attempt.answer !== null && attempt.answer !== draft.text && (
                <Button
                  size="small"
                  variant="quiet"
                  onClick={() => attempt.answer !== null && draft.write(attempt.answer)}
                >
                  Use answer {attempt.number}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {lastFault !== null && <FaultCard fault={lastFault} className="mt-2" />}
    </Part>
  );
}

const contextLabels: Readonly<Record<PromptContext, string>> = {
  none: 'none',
  thisServer: 'instructions of this server',
  allServers: 'instructions of all connected servers',
};

/** What the user adds to the system prompt. Servers never decide it (MCP 2025-06-18 sampling: the client controls it). */
function useContextText(sessionId: string, context: PromptContext): string {
  const sessions = useSessions((state) => state.sessions);
  const servers = useServers((state) => state.servers);
  return useMemo(() => {
    if (context === 'none') return '';
    const own = sessions[sessionId];
    const chosen =
      context === 'thisServer'
        ? [own]
        : servers.map(({ id }) => latestSession(sessions, id)).filter((one) => one?.phase === 'ready');
    return chosen
      .flatMap((session) => {
        const instructions = session?.agreement?.instructions ?? null;
        return instructions === null
          ? []
          : [`Instructions of the server ${session?.serverName}:\n${instructions}`];
      })
      .join('\n\n');
  }, [context, sessionId, sessions, servers]);
}
