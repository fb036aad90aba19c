import { SelectBox, TextField } from '#ui/field.tsx';
import type { ClientDraft } from '../draft/client-draft.ts';
import type { Draft } from '../draft/draft.ts';
import { type FieldProps, FieldGroup } from './form-parts.tsx';

interface Preset {
  readonly label: string;
  /** `clientInfo.name`. */
  readonly name: string;
  readonly revision: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/**
 * What other clients send in `initialize`, by the public index github.com/apify/mcp-client-capabilities (February 2026) and, for
 * Visual Studio Code, its issue microsoft/vscode#291432. Their versions change too often to be listed.
 */
const presets: readonly Preset[] = [
  { label: 'Claude', name: 'claude-ai', revision: '2025-06-18', capabilities: {} },
  { label: 'Claude Code', name: 'claude-code', revision: '2025-06-18', capabilities: { roots: {} } },
  {
    label: 'Codex',
    name: 'codex-mcp-client',
    revision: '2025-06-18',
    capabilities: { elicitation: {} },
  },
  {
    label: 'Cursor',
    name: 'cursor-vscode',
    revision: '2025-06-18',
    capabilities: { roots: {}, elicitation: {} },
  },
  {
    label: 'Visual Studio Code',
    name: 'Visual Studio Code',
    revision: '2025-11-25',
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
  },
  { label: 'Windsurf', name: 'windsurf-client', revision: '2025-03-26', capabilities: {} },
  { label: 'Zed', name: 'Zed', revision: '2025-03-26', capabilities: {} },
];

const OWN = 'Sightglass';
const OTHER = 'another client';
const PRESET_VERSION = '1.0.0';

/** Who the client says it is, and presets of known clients. */
export function ClientInfoFields({
  draft,
  errors,
  change,
  changeServer,
  validate,
}: FieldProps<ClientDraft> & {
  /** A preset also requests the revision of its client. */
  readonly changeServer: (part: Partial<Draft>) => void;
}) {
  const { info } = draft;
  const preset = presets.find(({ name }) => name === info.name);
  const isOwn = info.name === '' && info.version === '' && info.title === '';
  const choose = (label: string) => {
    const chosen = presets.find((one) => one.label === label);
    if (chosen !== undefined) {
      changeServer({
        era: 'legacy',
        revision: chosen.revision,
        client: {
          ...draft,
          info: { name: chosen.name, version: PRESET_VERSION, title: '' },
          declares: 'custom',
          capabilities: JSON.stringify(chosen.capabilities, null, 2),
        },
      });
    } else if (label === OWN) change({ info: { name: '', version: '', title: '' }, declares: 'all' });
  };
  const field = (member: keyof ClientDraft['info']) => ({
    mono: true,
    value: info[member],
    onChange: (text: string) => change({ info: { ...info, [member]: text } }),
    onBlur: () => validate(`client.info.${member}`),
    error: errors[`client.info.${member}`],
  });
  return (
    <FieldGroup label="Client info" hint="sent with initialize">
      <SelectBox
        aria-label="Identify as"
        value={preset?.label ?? (isOwn ? OWN : OTHER)}
        options={[
          { value: OWN, label: OWN },
          ...presets.map(({ label }) => ({ value: label, label: `as ${label}` })),
          ...(preset === undefined && !isOwn ? [{ value: OTHER, label: OTHER }] : []),
        ]}
        onChange={choose}
      />
      <p className="mt-1 mb-2 text-xs text-faint">
        {preset === undefined
          ? 'A preset fills in the name, capabilities and revision that a client is known to send.'
          : `The name, capabilities and revision that ${preset.label} is known to send. Nothing else of it is imitated.`}
      </p>
      <div className="grid grid-cols-3 items-start gap-2">
        <TextField label="Client name" placeholder="sightglass" {...field('name')} />
        <TextField label="Client version" placeholder="of Sightglass" {...field('version')} />
        <TextField label="Client title" placeholder="none" {...field('title')} />
      </div>
    </FieldGroup>
  );
}
