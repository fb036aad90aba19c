import { useEffect, useRef } from 'react';
import { Button } from '#ui/button.tsx';
import { TextArea } from '#ui/field.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { joinCommandLine, leadingAssignments, splitCommandLine } from '#model/command-line.ts';
import { envDraft, looksSecret } from './draft.ts';
import type { FieldsProps } from './setting-fields.tsx';

/** The command line as one would type it, and under it the words it comes to. */
export function CommandLineField({
  draft,
  errors,
  change,
  judge,
  isWindows,
}: FieldsProps & { readonly isWindows: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null);
  // The form opens to be written in.
  useEffect(() => field.current?.focus(), []);
  const { words, unexpanded } = splitCommandLine(draft.commandLine, { isWindows });
  const assignments = leadingAssignments(words);
  return (
    <div>
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
      {words.length > 0 && (
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
      )}
      {unexpanded.length > 0 && (
        <p className="mt-1.5 text-xs text-warn">
          No shell runs this, so <code className="mono">{unexpanded.join(' ')}</code> reaches the program as
          written. Use <code className="mono">sh -c '…'</code> if you need a shell.
        </p>
      )}
      {assignments.length > 0 && (
        <div className="mt-1.5 flex items-center gap-2 text-xs text-warn">
          <span>
            <code className="mono">{assignments.map(({ name }) => `${name}=`).join(' ')}</code> would be taken
            for the command.
          </span>
          <Button
            size="small"
            onClick={() =>
              change({
                commandLine: joinCommandLine(words.slice(assignments.length), { isWindows }),
                env: [
                  ...draft.env.filter(({ name }) => !assignments.some((other) => other.name === name)),
                  ...assignments.map(({ name, value }) => envDraft(name, value, looksSecret(name))),
                ],
              })
            }
          >
            Move to the environment
          </Button>
        </div>
      )}
    </div>
  );
}
