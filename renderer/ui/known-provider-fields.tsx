import { PROVIDERS_READ } from '#shared/authorization/providers/provider.ts';
import { resourceOfUrl, withProviderSettings } from '#shared/authorization/providers/settings.ts';
import { knownProviders } from '#shared/authorization/providers/table.ts';
import {
  type AuthorizationSettings,
  type KnownProviderId,
  knownProviderIds,
} from '#shared/contract/authorization.ts';
import { Checkbox, Field, SelectBox } from './field.tsx';

type Change = (change: Partial<AuthorizationSettings>) => void;

/** Says what the authorization server is, which fills in what it is known to need. */
export function KnownProviderChoice({
  settings,
  serverUrl,
  onChange,
}: {
  readonly settings: AuthorizationSettings;
  /** Empty if it is not known. */
  readonly serverUrl: string;
  readonly onChange: Change;
}) {
  const { knownProvider } = settings;
  const choose = (id: KnownProviderId | '') => {
    if (id === '') return onChange({ knownProvider: null });
    const { settings: further } = knownProviders[id];
    onChange({ knownProvider: id, ...withProviderSettings(settings, further, resourceOfUrl(serverUrl)) });
  };
  return (
    <div className="col-span-2">
      <Field label="Authorization server is">
        {(control) => (
          <SelectBox<KnownProviderId | ''>
            {...control}
            value={knownProvider ?? ''}
            options={choices}
            onChange={choose}
          />
        )}
      </Field>
      {knownProvider !== null && <KnownProviderNote id={knownProvider} />}
    </div>
  );
}

const choices: readonly { readonly value: KnownProviderId | ''; readonly label: string }[] = [
  { value: '', label: 'Recognized by its addresses' },
  ...knownProviderIds.map((id) => ({ value: id, label: knownProviders[id].label })),
];

/** What was filled in, and what is known of the provider, with its sources. */
function KnownProviderNote({ id }: { readonly id: KnownProviderId }) {
  const { notes, traps } = knownProviders[id];
  return (
    <div role="note" aria-label="Known provider" className="mt-1 text-xs [overflow-wrap:anywhere] text-mute">
      {notes.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <details className="mt-0.5">
        <summary className="w-fit hover:text-text">{traps.length} known traps, with their sources</summary>
        <ul className="mt-1 max-h-60 overflow-y-auto border-l-2 border-line pl-2">
          {traps.map(({ id: trap, title, wayOn, sources }) => (
            <li key={trap} className="mb-1.5">
              <p className="font-medium text-text">{title}</p>
              <p>{wayOn}</p>
              <p className="text-faint">{sources.map((source) => source.title).join('; ')}</p>
            </li>
          ))}
          <li className="text-faint">Read on {PROVIDERS_READ}.</li>
        </ul>
      </details>
    </div>
  );
}

/** Goes on without advertised PKCE, which MCP forbids. */
export function AssumedPkce({
  assumesPkce,
  onChange,
}: Pick<AuthorizationSettings, 'assumesPkce'> & { readonly onChange: Change }) {
  return (
    <div className="col-span-2">
      <Checkbox
        label="Use PKCE where it is not advertised"
        checked={assumesPkce}
        onChange={(value) => onChange({ assumesPkce: value })}
      />
      <p className="text-xs text-mute">
        MCP has clients refuse such a server since 2025-11-25. Entra and Cognito support PKCE without
        advertising it.
      </p>
    </div>
  );
}
