import { FileUp } from 'lucide-react';
import { useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { call } from '#bridge';
import { pathOfFile } from '#model/desktop.ts';
import { closeTransfer, type DroppedText, selectServer } from '#model/selection.ts';
import { describeTarget } from '#model/servers.ts';
import { useAction, useQuery } from '#model/use-query.ts';
import { textFormats } from '#shared/client-formats/table.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import {
  type ClientFormat,
  type ConfigurationProblem,
  type ConfigurationSource,
  MAX_CONFIGURATION,
} from '#shared/contract/servers.ts';
import { formatQuantity } from '#shared/format.ts';
import { withKnownTarget } from '#shared/known-values.ts';
import { decodeText, isText } from '#shared/text-encoding.ts';
import { Button } from '#ui/button.tsx';
import { Chip } from '#ui/chip.tsx';
import { cx } from '#ui/cx.ts';
import { FaultCard } from '#ui/fault-card.tsx';
import { Checkbox, SelectBox, TextArea } from '#ui/field.tsx';
import { FormHeader } from '#ui/form-header.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { ClientLogs, ClientLogText } from './client-logs.tsx';
import { VariableInput } from '../variable-input.tsx';

const formatOptions = textFormats.map(({ id, label }) => ({ value: id, label }));

type Imported = Result<'servers/import-preview'>['servers'][number];

/** Imports servers from the configurations of other clients. It replaces the pane, so that the trace stays in view. */
export function ImportServers({
  file,
}: {
  /** The file to begin with. */
  readonly file: DroppedText | null;
}) {
  const [path, setPath] = useState<string | null>(null);
  const [log, setLog] = useState<string | null>(null);
  const [text, setText] = useState(file?.text ?? '');
  const [filePath, setFilePath] = useState<string | null>(file?.path ?? null);
  const [format, setFormat] = useState<ClientFormat | 'any'>('any');
  const found = useQuery('found', () => call('servers/found', {}));
  const source: ConfigurationSource | null =
    path !== null
      ? { kind: 'found', path }
      : text.trim() === ''
        ? null
        : { kind: 'text', text, path: filePath, format: format === 'any' ? null : format };
  const shownSource = useDeferredValue(source === null ? null : JSON.stringify(source));
  const takeText = (changed: string, changedPath: string | null) => {
    setPath(null);
    setLog(null);
    setText(changed);
    setFilePath(changedPath);
  };
  return (
    <section
      aria-label="Import servers"
      className="flex h-full min-h-0 flex-col"
      onKeyDown={(press) => {
        if (press.key === 'Escape' && !press.defaultPrevented) closeTransfer();
      }}
    >
      <FormHeader title="Import servers">
        <Button variant="quiet" size="small" onClick={closeTransfer}>
          Close
        </Button>
      </FormHeader>
      <div className="hides-when-collapsed grid min-h-0 flex-1 gap-x-8 gap-y-5 overflow-auto px-4 py-3.5 min-[1000px]:grid-cols-[minmax(260px,5fr)_minmax(380px,7fr)]">
        <div className="flex min-w-0 flex-col gap-5">
          <section aria-label="On this machine">
            <h3 className="caption mb-1">On this machine</h3>
            <FoundFiles
              found={found}
              shown={log === null ? path : null}
              onChoose={(chosen) => {
                setLog(null);
                setPath(chosen);
              }}
            />
          </section>
          <PastedText
            text={text}
            format={format}
            onText={takeText}
            onFormat={(chosen) => {
              setPath(null);
              setLog(null);
              setFormat(chosen);
            }}
          />
          <ClientLogs shown={log} onChoose={setLog} />
        </div>
        {log !== null ? (
          <ClientLogText key={log} path={log} />
        ) : shownSource === null ? (
          <p className="text-mute">
            Choose a file, or paste a configuration or a command line. Nothing is saved before you click
            Import, and nothing runs before you approve its command line. An imported server may not ask for
            roots, sampling or elicitation until you declare them in its settings.
          </p>
        ) : (
          <Preview key={shownSource} source={shownSource} />
        )}
      </div>
    </section>
  );
}

function FoundFiles({
  found: { result, fault },
  shown,
  onChoose,
}: {
  readonly found: { readonly result: Result<'servers/found'> | null; readonly fault: Fault | null };
  readonly shown: string | null;
  readonly onChoose: (path: string) => void;
}) {
  if (fault !== null) return <FaultCard fault={fault} />;
  if (result === null) return <p className="text-mute">Looking for configurations…</p>;
  if (result.length === 0) return <p className="text-mute">No configuration of another client was found.</p>;
  return (
    <ul>
      {result.map(({ path, label, servers }) => (
        <li key={path}>
          <button
            type="button"
            aria-pressed={path === shown}
            title={visibleLine(path)}
            onClick={() => onChoose(path)}
            className={cx(
              'flex h-row w-full items-center gap-2 px-2 text-left',
              path === shown ? 'bg-hover shadow-[inset_2px_0_var(--accent)]' : 'hover:bg-hover',
            )}
          >
            <span className="shrink-0">{label}</span>
            <span className="mono min-w-0 flex-1 truncate text-sm text-faint">{visibleLine(path)}</span>
            <span className="shrink-0 text-sm text-mute">{formatQuantity(servers.length, 'server')}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function PastedText({
  text,
  format,
  onText,
  onFormat,
}: {
  readonly text: string;
  readonly format: ClientFormat | 'any';
  readonly onText: (text: string, path: string | null) => void;
  readonly onFormat: (format: ClientFormat | 'any') => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string | undefined>(undefined);
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_CONFIGURATION)
      setError(`${visibleLine(file.name)} is too large to be a configuration.`);
    else {
      const decoded = decodeText(new Uint8Array(await file.arrayBuffer()));
      setError(isText(decoded) ? undefined : `${visibleLine(file.name)}: ${decoded.what} ${decoded.next}`);
      if (isText(decoded)) onText(decoded.text, pathOfFile(file) ?? file.name);
    }
  };
  return (
    <section
      aria-label="Paste, drop or choose"
      data-takes-files
      onDragOver={(drag) => drag.preventDefault()}
      onDrop={(drop) => {
        drop.preventDefault();
        const [file] = drop.dataTransfer.files;
        const dropped = drop.dataTransfer.getData('text/plain');
        if (file !== undefined) void read(file);
        else if (dropped !== '') onText(dropped, null);
      }}
    >
      <TextArea
        ref={field}
        label="Configuration or command line"
        mono
        rows={8}
        value={text}
        error={error}
        onChange={(changed) => {
          setError(undefined);
          onText(changed, null);
        }}
        placeholder={'{ "mcpServers": { … } }   or   npx -y @scope/server /folder'}
        note="Paste it, or drop a file here. A part of a file is fine, as READMEs show it, and so is a command such as claude mcp add."
      />
      <div className="mt-2 flex items-center gap-2">
        <Button
          size="small"
          icon={<FileUp aria-hidden className="size-3.5" />}
          onClick={() => input.current?.click()}
        >
          Choose a file…
        </Button>
        <input
          ref={input}
          id={id}
          type="file"
          hidden
          aria-label="Configuration file"
          onChange={({ target }) => {
            void read(target.files?.[0]);
            target.value = '';
          }}
        />
        <SelectBox
          aria-label="Format"
          size="small"
          className="w-44"
          value={format}
          options={[{ value: 'any' as const, label: 'detect the format' }, ...formatOptions]}
          onChange={onFormat}
        />
      </div>
    </section>
  );
}

interface Pick {
  readonly isChosen: boolean;
  readonly replaces: boolean;
}

/** The servers of a configuration, those to import chosen. */
function Preview({ source }: { readonly source: string }) {
  const parsed: ConfigurationSource = JSON.parse(source);
  const { result, fault } = useQuery(source, () => call('servers/import-preview', { source: parsed }));
  const [picks, setPicks] = useState<Readonly<Record<string, Pick>>>({});
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const importing = useAction(async (chosen: readonly Imported[]) => {
    const saved = await call('servers/import', {
      source: parsed,
      picks: chosen.map(({ key, existingId }) => ({
        key,
        name: null,
        replaces: pickOf(picks, key).replaces ? existingId : null,
      })),
      values: { ...values },
    });
    const [first] = saved;
    if (first !== undefined) selectServer(first.id);
  });
  if (fault !== null) return <FaultCard fault={fault} />;
  if (result === null) return <div role="group" aria-busy aria-label="The configuration is being read" />;
  const { servers, problems, format, label } = result;
  const chosen = servers.filter(({ key }) => pickOf(picks, key).isChosen);
  const variables = new Map(
    chosen
      .flatMap(({ settings, given }) =>
        (settings.variables ?? []).filter(({ name }) => !given.includes(name)),
      )
      .filter(({ name, value }) => value === null || name !== 'workspaceFolder')
      .map((one) => [one.name, one]),
  );
  const change = (key: string, part: Partial<Pick>) =>
    setPicks({ ...picks, [key]: { ...pickOf(picks, key), ...part } });
  return (
    <section aria-label="Servers to import" className="flex min-w-0 flex-col gap-3">
      <h3 className="caption">
        {formatQuantity(servers.length, 'server')}
        {format !== null && ` · ${label}`}
      </h3>
      <ul className="flex flex-col gap-3">
        {servers.map((server) => (
          <ImportedServer
            key={server.key}
            server={server}
            pick={pickOf(picks, server.key)}
            values={values}
            onChange={(part) => change(server.key, part)}
          />
        ))}
      </ul>
      {problems.length > 0 && <Problems problems={problems} />}
      {[...variables.values()].map((variable) => (
        <VariableInput
          key={variable.name}
          variable={variable}
          label={visibleLine(variable.name)}
          note="The configuration asks for this value. It can be changed in the settings of the server."
          value={values[variable.name] ?? variable.value ?? ''}
          onChange={(value) => setValues({ ...values, [variable.name]: value })}
        />
      ))}
      {importing.fault && <FaultCard fault={importing.fault} />}
      <div className="sticky -bottom-3.5 bg-bg py-2">
        <Button
          variant="primary"
          disabled={chosen.length === 0 || importing.isRunning}
          onClick={() => void importing.run(chosen)}
        >
          {chosen.length === 0 ? 'Import' : `Import ${formatQuantity(chosen.length, 'server')}`}
        </Button>
      </div>
    </section>
  );
}

const pickOf = (picks: Readonly<Record<string, Pick>>, key: string): Pick =>
  picks[key] ?? { isChosen: true, replaces: false };

function ImportedServer({
  server: { settings, leftOut, given, existingId },
  pick,
  values,
  onChange,
}: {
  readonly server: Imported;
  readonly pick: Pick;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (part: Partial<Pick>) => void;
}) {
  const { name, transport } = settings;
  const pairs = transport.kind === 'stdio' ? transport.env : transport.headers;
  const secrets = [...pairs.flatMap((pair) => (pair.secret ? [pair.name] : [])), ...given];
  const variables = (settings.variables ?? []).map((one) => ({
    ...one,
    value: values[one.name] ?? one.value,
  }));
  const target = describeTarget({ transport: withKnownTarget(transport, variables) });
  return (
    <li className="border-b border-line pb-3 last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Checkbox
          label={<span className="font-medium">{visibleLine(name)}</span>}
          checked={pick.isChosen}
          onChange={(isChosen) => onChange({ isChosen })}
        />
        <Chip>{transport.kind}</Chip>
        {existingId !== null && (
          <SelectBox
            aria-label={`What to do with ${name}`}
            size="small"
            className="w-52"
            value={pick.replaces ? 'replace' : 'add'}
            options={[
              { value: 'add', label: 'add under another name' },
              { value: 'replace', label: 'replace the saved server' },
            ]}
            onChange={(choice) => onChange({ replaces: choice === 'replace' })}
          />
        )}
      </div>
      <PlainText text={target} className="mono mt-1 pl-[22px] text-sm text-mute" />
      {secrets.length > 0 && (
        <p className="pl-[22px] text-sm text-mute">
          Secret: <span className="mono">{secrets.map(visibleLine).join(', ')}</span>
        </p>
      )}
      {leftOut.map(({ key, why }) => (
        <p key={key} className="pl-[22px] text-sm text-warn">
          <span className="mono">{visibleLine(key)}</span> is left out: {visibleLine(why)}
        </p>
      ))}
    </li>
  );
}

function Problems({ problems }: { readonly problems: readonly ConfigurationProblem[] }) {
  return (
    <ul aria-label="Problems" className="flex flex-col gap-1">
      {problems.map(({ line, column, server, what, next }) => (
        <li key={`${line}:${column} ${what}`} className="text-sm">
          <span className="mono text-faint">
            {line}:{column}
          </span>{' '}
          <span className="text-warn">
            {server !== null && `${visibleLine(server)}: `}
            {visibleLine(what)}
          </span>{' '}
          <span className="text-mute">{visibleLine(next)}</span>
        </li>
      ))}
    </ul>
  );
}
