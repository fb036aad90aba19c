import { useState } from 'react';
import { useSettings } from '#model/settings.ts';
import type { InboxEntry } from '#shared/contract/inbox.ts';
import { formatCount } from '#shared/format.ts';
import { Chip } from '#ui/chip.tsx';
import { BlockView } from '#ui/content/block-view.tsx';
import { readBlock } from '#ui/content/read-content.ts';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { toolResultErrors } from './chat-completion.ts';
import { chooseModel } from './model-hints.ts';
import { Part, serverTextFrame, Warning } from './pane-layout.tsx';
import {
  changedParts,
  changedSampling,
  changePrompt,
  type PromptDraft,
  restorePrompt,
  usePromptDraft,
} from './prompt-draft.ts';
import { PromptBar, PromptFields } from './prompt-fields.tsx';
import type { ModelPreferences, Sampling, SamplingMessage } from './read-question.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** A sampling request. While it waits, its prompt can be changed before a model gets it. */
export function SamplingView({
  sampling,
  entry,
}: {
  readonly sampling: Sampling;
  readonly entry: Pick<InboxEntry, 'id' | 'state'>;
}) {
  const draft = usePromptDraft(entry.id);
  const [isEditing, setEditing] = useState(false);
  const changed = changedSampling(sampling, draft);
  const isWaiting = entry.state === 'waiting';
  const change = (part: Partial<PromptDraft>) => changePrompt(entry.id, part);
  const { messages, systemPrompt, tools } = changed;
  const errors = toolResultErrors(sampling.messages);
  return (
    <>
      {isWaiting && (
        <PromptBar
          changes={changedParts(sampling, draft)}
          isEditing={isEditing}
          onEdit={setEditing}
          onRestore={() => restorePrompt(entry.id)}
          text={promptText(changed)}
        />
      )}
      {errors.map((error) => (
        <Warning key={error} tone="warn">
          <PlainText inline text={error} />
        </Warning>
      ))}
      {isEditing && isWaiting ? (
        <PromptFields sampling={sampling} draft={draft} onChange={change} />
      ) : (
        <>
          {systemPrompt !== undefined && (
            <Part name="System prompt">
              <PlainText text={systemPrompt} className={serverTextFrame} />
            </Part>
          )}
          <Part name="Messages">
            {messages.length === 0 ? (
              <p className="text-mute">No readable messages.</p>
            ) : (
              <ol className="flex flex-col gap-1.5">
                {messages.map((message, index) => (
                  <Message key={index} message={message} />
                ))}
              </ol>
            )}
          </Part>
        </>
      )}
      <Part name="Limits and preferences">
        <Preferences sampling={changed} />
        {sampling.includeContext === 'allServers' && (
          <Warning tone="warn">
            The server asks for context from all your servers. Sightglass adds none, unless you choose it for
            a model of yours.
          </Warning>
        )}
        <ModelHints preferences={sampling.modelPreferences} />
      </Part>
      {tools !== undefined && tools.length > 0 && (
        <Part name="Tools the model may use" note={formatCount(tools.length)}>
          <ul className="flex flex-wrap gap-1">
            {tools.map((tool, index) => (
              <li key={index} className="min-w-0">
                <Chip>
                  <span className="mono truncate text-xs">{visibleLine(nameOf(tool))}</span>
                </Chip>
              </li>
            ))}
          </ul>
        </Part>
      )}
    </>
  );
}

const nameOf = (tool: unknown): string =>
  isObject(tool) && typeof tool.name === 'string' ? tool.name : 'no name';

function Message({ message: { role, content } }: { readonly message: SamplingMessage }) {
  return (
    <li className={serverTextFrame}>
      <div className="mb-0.5 text-xs text-faint">{visibleLine(role)}</div>
      {content.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </li>
  );
}

/** One content block: text, images and sounds as what they are, anything else as JSON. */
function Block({ block }: { readonly block: unknown }) {
  const json = JSON.stringify(block) ?? 'null';
  const read = readBlock(block, () => json);
  if (read.kind === 'other') return <JsonText raw={json} />;
  return read.block.type === 'text' ? <PlainText text={read.block.text} /> : <BlockView block={read} />;
}

function Preferences({ sampling }: { readonly sampling: Sampling }) {
  const { maxTokens, temperature, stopSequences, includeContext, modelPreferences, toolChoice } = sampling;
  const preferences: readonly (readonly [name: string, value: string | null])[] = [
    ['max tokens', maxTokens === undefined ? 'not given, although required' : String(maxTokens)],
    ['temperature', temperature === undefined ? null : String(temperature)],
    ['stop sequences', stopSequences?.map((text) => JSON.stringify(text)).join('  ') ?? null],
    ['context', includeContext === undefined ? null : (contexts[includeContext] ?? includeContext)],
    ['tool choice', toolChoice === undefined ? null : JSON.stringify(toolChoice)],
    ['models', modelPreferences?.hints?.map(({ name }) => name ?? 'any').join(', then ') ?? null],
  ];
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4">
      {preferences.map(
        ([name, value]) =>
          value !== null && (
            <div key={name} className="col-span-2 grid min-h-row grid-cols-subgrid items-baseline">
              <dt className="text-mute">{name}</dt>
              <dd className="mono min-w-0 [overflow-wrap:anywhere]">{visibleLine(value)}</dd>
            </div>
          ),
      )}
      {modelPreferences !== undefined && <Priorities preferences={modelPreferences} />}
    </dl>
  );
}

const contexts: Readonly<Record<string, string>> = {
  none: 'none',
  thisServer: 'this server (thisServer)',
  allServers: 'all servers (allServers)',
};

const priorities = [
  ['low cost', 'costPriority'],
  ['speed', 'speedPriority'],
  ['intelligence', 'intelligencePriority'],
] as const;

/** Bars for priorities from 0 to 1; other values show a full or empty bar and the number. */
function Priorities({ preferences }: { readonly preferences: ModelPreferences }) {
  return priorities.map(([name, member]) => {
    const value = preferences[member];
    if (value === undefined) return null;
    return (
      <div key={name} className="col-span-2 grid min-h-row grid-cols-subgrid items-center">
        <dt className="text-mute">{name}</dt>
        <dd className="flex items-center gap-2">
          <span aria-hidden className="h-1 w-24 overflow-hidden rounded-full bg-line">
            <span
              className="block h-full bg-accent"
              style={{ width: `${Math.min(1, Math.max(0, value)) * 100}%` }}
            />
          </span>
          <span className="mono">{value}</span>
        </dd>
      </div>
    );
  });
}

/** Which of the user's models the hints of the server match, and why (MCP 2025-06-18 sampling, model preferences). */
function ModelHints({ preferences }: { readonly preferences: ModelPreferences | undefined }) {
  const names = useSettings(({ modelNames }) => modelNames);
  const { model, hints } = chooseModel(preferences, names);
  if (model === null) {
    return hints.length === 0 ? null : (
      <p className="mt-1 text-sm text-mute">
        Write down the names of your models under “Model…” to see which of them these hints match.
      </p>
    );
  }
  return (
    <ul aria-label="Match of the model hints" className="mt-1 flex flex-col text-sm text-mute">
      {hints.map(({ hint, model: found, isIgnored }, index) => (
        <li key={index}>
          “<span className="mono text-text">{visibleLine(hint)}</span>”{' '}
          {isIgnored ? (
            'is not needed: an earlier hint matches'
          ) : found === null ? (
            'is part of none of your models'
          ) : (
            <>
              is part of <span className="mono text-text">{found}</span>, so that is chosen
            </>
          )}
        </li>
      ))}
      {hints.every(({ model: found }) => found === null) && (
        <li>
          Your first model is chosen: <span className="mono text-text">{model}</span>
        </li>
      )}
    </ul>
  );
}

/** The prompt as text, to paste it elsewhere. */
const promptText = ({ systemPrompt, messages }: Sampling): string =>
  [
    ...(systemPrompt === undefined ? [] : [`system: ${systemPrompt}`]),
    ...messages.map(({ role, content }) => {
      const texts = content.map((block) =>
        isObject(block) && typeof block.text === 'string'
          ? block.text
          : `[${isObject(block) ? String(block.type) : 'unreadable'}]`,
      );
      return `${role}: ${texts.join('\n')}`;
    }),
  ].join('\n\n');
