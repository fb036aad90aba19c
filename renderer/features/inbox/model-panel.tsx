import { useState } from 'react';
import { call } from '#bridge';
import { useAppInfo } from '#model/app-info.ts';
import { showPanel } from '#model/inbox.ts';
import { changeSettings, useSettings } from '#model/settings.ts';
import { useAction, useQuery } from '#model/use-query.ts';
import { settingsSchema } from '#shared/contract/settings.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { TextArea, TextField } from '#ui/field.tsx';
import { Column } from './pane-layout.tsx';

/** The language models of the user: their names, and the API that may answer sampling. */
export function ModelPanel() {
  const { modelNames, modelUrl } = useSettings();
  const [names, setNames] = useState(modelNames.join('\n'));
  const [url, setUrl] = useState(modelUrl ?? '');
  const [key, setKey] = useState('');
  const [stored, setStored] = useState(0);
  const { latest } = useQuery(`model key ${stored}`, () => call('model/has-key', {}));
  const keepsSecrets = useAppInfo(({ info }) => info?.keepsSecrets ?? true);
  const read = settingsSchema.shape.modelUrl.safeParse(url.trim() === '' ? null : url.trim());
  const storeKey = async (value: string | null) => {
    await call('model/set-key', { key: value });
    setKey('');
    setStored((times) => times + 1);
  };
  const saving = useAction(async () => {
    if (!read.success) return;
    const lines = names.split('\n').map((line) => line.trim());
    await changeSettings({ modelNames: lines.filter((line) => line !== ''), modelUrl: read.data });
    if (key !== '') await storeKey(key);
    showPanel(null);
  });
  const removing = useAction(() => storeKey(null));
  const fault = saving.fault ?? removing.fault;
  return (
    <Column
      label="Model"
      heading={
        <>
          <h2 className="text-lg font-semibold">Model</h2>
          <p className="mt-0.5 mb-2 text-sm text-mute">
            A model of yours can write answers to sampling. It is asked only when you click, with the request
            that you read first; what it writes is sent to the server only when you send it. Without an
            address, you write each answer.
          </p>
        </>
      }
      bar={
        <div className="flex shrink-0 items-center gap-2 border-t border-line bg-bg px-4 py-2.5">
          <Button
            variant="primary"
            disabled={!read.success || saving.isRunning}
            onClick={() => void saving.run()}
          >
            Save
          </Button>
          <Button onClick={() => showPanel(null)}>Close</Button>
        </div>
      }
    >
      {fault !== null && <FaultCard fault={fault} className="mb-2" />}
      <div className="flex max-w-140 flex-col gap-3">
        <TextField
          label="Address of an OpenAI-compatible API"
          hint="empty for none"
          note="Such as http://localhost:11434/v1 or https://api.openai.com/v1"
          mono
          value={url}
          error={read.success ? undefined : 'An address begins with http:// or https://.'}
          onChange={setUrl}
        />
        <TextField
          label="Key"
          hint={latest?.hasKey === true ? 'stored' : 'none stored'}
          note={
            keepsSecrets
              ? 'Stored like the secrets of servers, and sent to this address only.'
              : 'There is no key store here, so it is forgotten when Sightglass quits.'
          }
          type="password"
          autoComplete="new-password"
          placeholder={latest?.hasKey === true ? 'keep the stored key' : ''}
          value={key}
          onChange={setKey}
        />
        {latest?.hasKey === true && (
          <Button
            size="small"
            className="self-start"
            disabled={removing.isRunning}
            onClick={() => void removing.run()}
          >
            Remove the key
          </Button>
        )}
        <TextArea
          label="Names of your models"
          hint="one on each line, the preferred one first"
          note="The model hints of servers are matched against them."
          mono
          rows={4}
          value={names}
          onChange={setNames}
        />
      </div>
    </Column>
  );
}
