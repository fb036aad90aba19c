import { useEffect, useRef, useId } from 'react';
import { isOnDesktop, pathOfFile } from '#model/desktop.ts';
import { joinCommandLine, leadingAssignments, splitCommandLine } from '#shared/command-line.ts';
import { commandOfFile } from '#shared/server-file.ts';
import { cx } from '#ui/cx.ts';
import { TextArea, TextField } from '#ui/field.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { Segmented } from '#ui/segmented.tsx';
import { rowsOf, variables } from '../draft/named-values.ts';
import type { StdioDraft } from '../draft/transport-draft.ts';
import { urlIn } from '../draft/validate-url.ts';
import { NamedValues } from './named-value-fields.tsx';
import { type FieldProps, QuickFix } from './form-parts.tsx';

/** The command line as typed in a terminal, and the parsed words below it. */
export function CommandLineField({
  draft,
  errors,
  change,
  validate,
  isWindows,
  onUrl,
}: FieldProps<StdioDraft> & {
  readonly isWindows: boolean;
  /** The user confirms that the text is a URL. */
  readonly onUrl: (url: string) => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  // Focus the first field of the form.
  useEffect(() => field.current?.focus(), []);
  const { words, unexpanded } = splitCommandLine(draft.commandLine, { isWindows });
  const assignments = leadingAssignments(words);
  const url = urlIn(draft.commandLine);
  const [only = ''] = words;
  const ofFile = words.length === 1 ? commandOfFile(only, { isWindows }) : null;
  const runFile = (path: string) => {
    const command = commandOfFile(path, { isWindows });
    change({
      commandLine: joinCommandLine(command?.words ?? [path], { isWindows }),
      ...(draft.cwd.trim() === '' && command?.cwd != null && { cwd: command.cwd }),
    });
    field.current?.focus();
  };
  return (
    <div
      // A browser does not tell where a file lies.
      data-takes-files={isOnDesktop() || undefined}
      data-takes-configuration
      onDragOver={(drag) => isOnDesktop() && drag.preventDefault()}
      onDrop={(drop) => {
        const [file] = drop.dataTransfer.files;
        const path = file === undefined ? null : pathOfFile(file);
        if (path === null) return;
        drop.preventDefault();
        runFile(path);
      }}
      onPaste={(paste) => {
        const pasted = draft.commandLine.trim() === '' ? urlIn(paste.clipboardData.getData('text')) : null;
        if (pasted === null) return;
        paste.preventDefault();
        onUrl(pasted);
      }}
    >
      <TextArea
        label="Command line"
        hint="paste it as it is in a terminal"
        required
        mono
        ref={field}
        rows={2}
        placeholder="npx -y @modelcontextprotocol/server-everything stdio"
        value={draft.commandLine}
        error={errors.commandLine}
        onChange={(commandLine) => change({ commandLine })}
        onBlur={() => validate('commandLine')}
      />
      {/* Room for two lines, so that the fields below keep their place while a command is typed. */}
      <div className="min-h-[46px]">
        {draft.commandLine === '' && (
          <Templates
            onChoose={(commandLine) => {
              change({ commandLine });
              selectPlaceholder(field.current, commandLine);
            }}
            onFile={runFile}
          />
        )}
        {words.length > 0 && url === null && <Words words={words} />}
      </div>
      {ofFile !== null && (
        <QuickFix
          action={`Run it with ${ofFile.words.slice(0, -1).join(' ')}`}
          onAccept={() => runFile(only)}
        >
          This file does not run by itself.
        </QuickFix>
      )}
      {url !== null && (
        <QuickFix action="Use it as the URL" onAccept={() => onUrl(url)}>
          This is a URL, not a command.
        </QuickFix>
      )}
      {unexpanded.length > 0 && url === null && (
        <p className="mt-1.5 text-xs text-warn">
          No shell runs this, so <code className="mono">{unexpanded.join(' ')}</code> reaches the program as
          written. Use <code className="mono">sh -c '…'</code> if you need a shell.
        </p>
      )}
      {assignments.length > 0 && (
        <QuickFix
          action="Move to the environment"
          onAccept={() =>
            change({
              commandLine: joinCommandLine(words.slice(assignments.length), { isWindows }),
              env: [
                ...draft.env.filter(({ name }) => !assignments.some((other) => other.name === name)),
                ...rowsOf(variables, assignments),
              ],
            })
          }
        >
          <code className="mono">{assignments.map(({ name }) => `${name}=`).join(' ')}</code> would be run as
          the command.
        </QuickFix>
      )}
    </div>
  );
}

/** The usual ways to start a server, by the program that does it. What to replace is in capitals. */
const templates = [
  { name: 'npx', commandLine: 'npx -y PACKAGE' },
  { name: 'uvx', commandLine: 'uvx PACKAGE' },
  { name: 'uv', commandLine: 'uv run --directory FOLDER SCRIPT.py' },
  { name: 'node', commandLine: 'node SCRIPT.js' },
  { name: 'python', commandLine: 'python -m MODULE' },
  { name: 'java', commandLine: 'java -jar SERVER.jar' },
  { name: 'dotnet', commandLine: 'dotnet run --project FOLDER' },
  { name: 'docker', commandLine: 'docker run -i --rm IMAGE' },
] as const;

function Templates({
  onChoose,
  onFile,
}: {
  readonly onChoose: (commandLine: string) => void;
  /** The user chose a server's file. */
  readonly onFile: (path: string) => void;
}) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <div role="group" aria-label="Templates" className="mt-1.5 flex flex-wrap items-center gap-1">
      <span className="text-xs text-faint">start with</span>
      {templates.map(({ name, commandLine }) => (
        <button
          key={name}
          type="button"
          title={commandLine}
          onClick={() => onChoose(commandLine)}
          className={cx('mono', templateClass)}
        >
          {name}
        </button>
      ))}
      {isOnDesktop() && (
        <>
          <span className="text-xs text-faint">or</span>
          <button type="button" onClick={() => chooser.current?.click()} className={templateClass}>
            Open server file…
          </button>
          <input
            ref={chooser}
            type="file"
            aria-label="Server file"
            className="hidden"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              const path = file === undefined ? null : pathOfFile(file);
              if (path !== null) onFile(path);
            }}
          />
        </>
      )}
    </div>
  );
}

const templateClass =
  'rounded-sm border border-line px-1.5 text-xs leading-5 text-mute hover:bg-hover hover:text-text';

/** Selects the first part that is to be replaced, once the field has the text. */
function selectPlaceholder(field: HTMLTextAreaElement | null, commandLine: string): void {
  const [placeholder = ''] = /[A-Z]{3,}/.exec(commandLine) ?? [];
  const start = commandLine.indexOf(placeholder);
  requestAnimationFrame(() => {
    field?.focus();
    field?.setSelectionRange(start, start + placeholder.length);
  });
}

function Words({ words }: { readonly words: readonly string[] }) {
  return (
    <div className="mt-1.5 flex gap-2">
      <span className="shrink-0 text-xs leading-[18px] text-faint">runs</span>
      <ol aria-label="Parsed command" className="flex min-w-0 flex-wrap gap-1">
        {words.map((word, index) => (
          <li
            key={index}
            className={`mono min-h-[18px] max-w-full rounded-sm border border-line px-1 text-xs leading-4 break-all whitespace-pre-wrap ${index === 0 ? 'text-text' : 'text-mute'}`}
          >
            {word === '' ? <i className="text-faint">empty</i> : <VisibleText text={word} />}
          </li>
        ))}
      </ol>
    </div>
  );
}

export function WorkingFolderField({
  draft,
  errors,
  change,
  validate,
  isWindows,
}: FieldProps<StdioDraft> & { readonly isWindows: boolean }) {
  const { words } = splitCommandLine(draft.commandLine, { isWindows });
  const relative = words.slice(1).find((word) => isRelativePath(word));
  return (
    <TextField
      mono
      label="Working folder"
      placeholder="your home folder"
      note={
        relative === undefined ? undefined : (
          <>
            <code className="mono">{visibleLine(relative)}</code> is looked for in{' '}
            {draft.cwd.trim() === '' ? 'your home folder' : 'this folder'}, wherever the app was started.
          </>
        )
      }
      value={draft.cwd}
      error={errors.cwd}
      onChange={(cwd) => change({ cwd })}
      onBlur={() => validate('cwd')}
    />
  );
}

/** Whether an argument is a path that depends on the working folder: `./x`, `../x`, or a script such as `dist/x.js`. */
const isRelativePath = (word: string): boolean =>
  /^\.{1,2}[\\/]/.test(word) || (commandOfFile(word) !== null && !/^(?:[\\/]|[a-z]:|[@$~-])/i.test(word));

const inheritance = {
  safe: 'Gets PATH, HOME and the few others every program needs, and the variables below.',
  all: 'Gets every variable Sightglass was started with, and the variables below.',
} as const;

/** The environment of the server's process. */
export function EnvironmentFields({
  draft,
  errors,
  change,
  validate,
  serverId,
}: FieldProps<StdioDraft> & { readonly serverId: string | null }) {
  const titleId = useId();
  return (
    <div role="group" aria-labelledby={titleId}>
      <div className="mb-1 flex items-center justify-between gap-3">
        <span id={titleId} className="font-medium">
          Environment
        </span>
        <Segmented
          label="Inherited variables"
          className="-my-1"
          value={draft.inherit}
          onChange={(inherit) => change({ inherit })}
          options={[
            { id: 'safe', label: 'safe' },
            { id: 'all', label: 'all' },
          ]}
        />
      </div>
      <p className="mb-2 text-xs text-faint">{inheritance[draft.inherit]}</p>
      <NamedValues
        kind={variables}
        rows={draft.env}
        errors={errors}
        serverId={serverId}
        onChange={(env) => change({ env })}
        validate={validate}
      />
    </div>
  );
}
