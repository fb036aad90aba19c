import { useEffect, useRef } from 'react';
import { joinCommandLine, leadingAssignments, splitCommandLine } from '#model/command-line.ts';
import { TextArea } from '#ui/field.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { urlIn } from './draft/other-kind.ts';
import type { StdioDraft } from './draft/stdio-draft.ts';
import type { FieldProps } from './field-props.ts';
import { rowsOf, variables } from './named-values/value-kinds.ts';
import { Offer } from './offer.tsx';

/** The command line as one would type it, and under it the words it comes to. */
export function CommandLineField({
  draft,
  errors,
  change,
  judge,
  isWindows,
  onUrl,
}: FieldProps<StdioDraft> & {
  readonly isWindows: boolean;
  /** The user says that what was written is a URL. */
  readonly onUrl: (url: string) => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  // The form opens to be written in.
  useEffect(() => field.current?.focus(), []);
  const { words, unexpanded } = splitCommandLine(draft.commandLine, { isWindows });
  const assignments = leadingAssignments(words);
  const url = urlIn(draft.commandLine);
  return (
    <div
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
        onBlur={() => judge('commandLine')}
      />
      {url !== null && (
        <Offer action="Use it as the URL" onAccept={() => onUrl(url)}>
          This is a URL, not a command.
        </Offer>
      )}
      {words.length > 0 && url === null && <Words words={words} />}
      {unexpanded.length > 0 && url === null && (
        <p className="mt-1.5 text-xs text-warn">
          No shell runs this, so <code className="mono">{unexpanded.join(' ')}</code> reaches the program as
          written. Use <code className="mono">sh -c '…'</code> if you need a shell.
        </p>
      )}
      {assignments.length > 0 && (
        <Offer
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
          <code className="mono">{assignments.map(({ name }) => `${name}=`).join(' ')}</code> would be taken
          for the command.
        </Offer>
      )}
    </div>
  );
}

function Words({ words }: { readonly words: readonly string[] }) {
  return (
    <div className="mt-1.5 flex gap-2">
      <span className="shrink-0 text-xs leading-[18px] text-faint">runs</span>
      <ol aria-label="The words that are run" className="flex min-w-0 flex-wrap gap-1">
        {words.map((word, place) => (
          <li
            key={place}
            className={`mono min-h-[18px] max-w-full rounded-sm border border-line px-1 text-xs leading-4 break-all whitespace-pre-wrap ${place === 0 ? 'text-text' : 'text-mute'}`}
          >
            {word === '' ? <i className="text-faint">empty</i> : <VisibleText text={word} />}
          </li>
        ))}
      </ol>
    </div>
  );
}
