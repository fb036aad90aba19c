import { CircleCheck, Download } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { closeTransfer } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { useAction, useQuery } from '#model/use-query.ts';
import { textFormats, usualFileName } from '#shared/client-formats/table.ts';
import type { ClientFormat, Server } from '#shared/contract/servers.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, Field, SelectBox } from '#ui/field.tsx';
import { FormHeader } from '#ui/form-header.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { saveFile } from '#ui/save-file.ts';
import { visibleLine } from '#ui/visible.ts';

const formatOptions = textFormats
  .filter(({ isWritten }) => isWritten)
  .map(({ id, label }) => ({ value: id, label }));

const NEW = 'new';

/** Exports servers as the configuration of another client, without secret values. Replaces the pane. */
export function ExportServer({ serverId }: { readonly serverId: string }) {
  const servers = useServers((state) => state.servers);
  const name = servers.find(({ id }) => id === serverId)?.name ?? '';
  const [others, setOthers] = useState<readonly string[]>([]);
  const [format, setFormat] = useState<ClientFormat>('claude-desktop');
  const [chosenPath, setPath] = useState(NEW);
  const { result: found } = useQuery('found', () => call('servers/found', {}));
  const files = (found ?? []).filter((file) => file.format === format);
  const path = files.some((file) => file.path === chosenPath) ? chosenPath : NEW;
  const params = (write: boolean) => ({
    ids: [serverId, ...others],
    format,
    into: path === NEW ? { kind: 'new' as const } : { kind: 'found' as const, path, write },
  });
  const { result, latest, fault } = useQuery(JSON.stringify(params(false)), () =>
    call('servers/export', params(false)),
  );
  const [written, setWritten] = useState<string | null>(null);
  const writing = useAction(async () => {
    await call('servers/export', params(true));
    setWritten(path);
  });
  const shown = result ?? latest;
  return (
    <section
      aria-label="Export server"
      className="flex h-full min-h-0 flex-col"
      onKeyDown={(press) => {
        if (press.key === 'Escape' && !press.defaultPrevented) closeTransfer();
      }}
    >
      <FormHeader title={`Export ${visibleLine(name)}`}>
        <Button variant="quiet" size="small" onClick={closeTransfer}>
          Close
        </Button>
      </FormHeader>
      <div className="hides-when-collapsed flex min-h-0 flex-1 flex-col gap-3 overflow-auto px-4 py-3.5">
        <div className="grid max-w-[760px] gap-x-6 gap-y-3 min-[800px]:grid-cols-2">
          <Field label="For">
            {(control) => (
              <SelectBox {...control} value={format} options={formatOptions} onChange={setFormat} />
            )}
          </Field>
          <Field label="Into">
            {(control) => (
              <SelectBox
                {...control}
                value={path}
                options={[
                  { value: NEW, label: 'a new text' },
                  ...files.map((file) => ({ value: file.path, label: visibleLine(file.path) })),
                ]}
                onChange={(to) => {
                  setPath(to);
                  setWritten(null);
                }}
              />
            )}
          </Field>
        </div>
        <AlsoExported
          servers={servers.filter(({ id, source }) => id !== serverId && source === 'user')}
          chosen={others}
          onChange={(ids) => {
            setOthers(ids);
            setWritten(null);
          }}
        />
        {fault !== null && <FaultCard fault={fault} />}
        {shown !== null && fault === null && (
          <>
            {shown.leftOut.length > 0 && (
              <ul aria-label="Left out" className="text-sm text-warn">
                {shown.leftOut.map(({ key, why }) => (
                  <li key={key}>
                    <span className="mono">{visibleLine(key)}</span> is left out: {visibleLine(why)}
                  </li>
                ))}
              </ul>
            )}
            <div
              role="region"
              aria-label="Exported text"
              // A scrolling region must be reachable by keyboard.
              tabIndex={0}
              className="relative min-h-24 flex-1 overflow-auto rounded-ui border border-line bg-raise px-2.5 py-2"
            >
              <CopyButton text={shown.text} className="absolute top-1 right-1" />
              <PlainText text={shown.text} className="mono whitespace-pre" />
            </div>
            <div className="flex items-center gap-2">
              {path === NEW ? (
                <Button
                  variant="primary"
                  icon={<Download aria-hidden className="size-3.5" />}
                  onClick={() => saveFile(usualFileName(format), shown.text)}
                >
                  Save as a file
                </Button>
              ) : (
                <Button variant="primary" disabled={writing.isRunning} onClick={() => void writing.run()}>
                  Write into this file
                </Button>
              )}
              {written === path && (
                <span role="status" className="flex items-center gap-1.5 text-in">
                  <CircleCheck aria-hidden className="size-3.5" />
                  written
                </span>
              )}
            </div>
            {writing.fault && <FaultCard fault={writing.fault} />}
          </>
        )}
      </div>
    </section>
  );
}

/** The other servers of the user, to be exported into the same text. */
function AlsoExported({
  servers,
  chosen,
  onChange,
}: {
  readonly servers: readonly Server[];
  readonly chosen: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
}) {
  if (servers.length === 0) return null;
  return (
    <fieldset className="max-w-[760px]">
      <legend className="mb-1 flex w-full items-center gap-3 font-medium">
        Together with
        {servers.length > 1 && (
          <Button
            variant="quiet"
            size="small"
            onClick={() => onChange(chosen.length === servers.length ? [] : servers.map(({ id }) => id))}
          >
            {chosen.length === servers.length ? 'None' : 'All'}
          </Button>
        )}
      </legend>
      <div className="flex max-h-24 flex-wrap gap-x-4 gap-y-1 overflow-y-auto">
        {servers.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={visibleLine(name)}
            checked={chosen.includes(id)}
            onChange={(isChosen) =>
              onChange(isChosen ? [...chosen, id] : chosen.filter((other) => other !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
