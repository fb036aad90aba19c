import { TriangleAlert } from 'lucide-react';
import type { Launch } from '#shared/contract/sessions.ts';
import { riskOfVariable } from '#shared/risky-variables.ts';
import { Facts } from './facts.tsx';
import { PlainText, VisibleText } from './plain-text.tsx';
import { visibleLine } from './visible.ts';

/** Everything that determines what a command line runs: words, file, folder, and variables with their risks. */
export function LaunchFacts({ launch }: { readonly launch: Launch }) {
  const { command, args, resolved, cwd, env, inherit } = launch;
  return (
    <Facts
      facts={[
        { name: 'Command', value: <Argv command={command} args={args} /> },
        {
          name: 'File',
          value:
            resolved === null ? (
              <span className="text-warn">
                “{visibleLine(command)}” was not found on the PATH; running it will most likely fail.
              </span>
            ) : (
              <PlainText text={resolved} className="mono" />
            ),
        },
        { name: 'Working folder', value: <PlainText text={cwd} className="mono" /> },
        {
          name: 'Variables',
          value: env.length === 0 ? <span className="text-mute">none set</span> : <Variables env={env} />,
        },
        inherit === 'safe'
          ? null
          : { name: 'Inherits', value: <span className="text-warn">every variable of Sightglass</span> },
      ]}
    />
  );
}

const Variables = ({ env }: { readonly env: Launch['env'] }) => (
  <ul aria-label="Variables" className="flex flex-col gap-0.5">
    {env.map(({ name, value }, index) => {
      const risk = riskOfVariable(name);
      return (
        <li key={index}>
          <span className="mono">
            <PlainText inline text={name} />=
            {value === null ? (
              <span className="font-sans text-mute">secret, not shown</span>
            ) : (
              <PlainText inline text={value} />
            )}
          </span>
          {risk !== null && (
            <span className="ml-2 text-sm text-warn">
              <TriangleAlert aria-hidden className="mr-1 inline size-3 align-[-1px]" />
              {risk}
            </span>
          )}
        </li>
      );
    })}
  </ul>
);

/** A command and its arguments, each framed, so that spaces and empty words are visible. */
export function Argv({ command, args }: { readonly command: string; readonly args: readonly string[] }) {
  return (
    <ol aria-label="Command and arguments" className="flex flex-wrap gap-1 pt-0.5 pb-1.5">
      {[command, ...args].map((word, index) => (
        <li
          key={index}
          className={`mono min-h-5 max-w-full rounded-sm border border-line bg-raise px-1.5 leading-[18px] break-all whitespace-pre-wrap ${index === 0 ? 'font-semibold text-text' : 'text-mute'}`}
        >
          {word === '' ? <i className="font-normal text-faint">empty</i> : <VisibleText text={word} />}
        </li>
      ))}
    </ol>
  );
}
