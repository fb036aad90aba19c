import { z } from 'zod';
import { formatBytes, formatCount } from '#shared/format.ts';
import { Chip } from '#ui/chip.tsx';
import { JsonText } from '#ui/json-text.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { isSchema } from '#ui/schema-form/schema.ts';
import { visibleLine } from '#ui/visible.ts';
import { Part, serverTextFrame, Warning } from './pane-layout.tsx';
import type { ModelPreferences, Sampling, SamplingMessage } from './read-question.ts';

/** A sampling request. */
export function SamplingView({ sampling }: { readonly sampling: Sampling }) {
  const { messages, systemPrompt, tools } = sampling;
  return (
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
      <Part name="Limits and preferences">
        <Preferences sampling={sampling} />
        {sampling.includeContext === 'allServers' && (
          <Warning tone="warn">
            The server asks for context from all your servers. Sightglass adds none: it sends only what you
            write.
          </Warning>
        )}
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
  isSchema(tool) && typeof tool.name === 'string' ? tool.name : 'no name';

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

const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const mediaBlock = z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() });

/** One content block: text as text, media as a description, anything else as JSON. */
function Block({ block }: { readonly block: unknown }) {
  const text = textBlock.safeParse(block);
  if (text.success) return <PlainText text={text.data.text} />;
  const media = mediaBlock.safeParse(block);
  if (media.success) {
    const { type, data, mimeType } = media.data;
    return (
      <p className="text-mute">
        {type} · {visibleLine(mimeType)} · about {formatBytes(Math.floor((data.length * 3) / 4))}
      </p>
    );
  }
  return <JsonText raw={JSON.stringify(block) ?? 'null'} />;
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
