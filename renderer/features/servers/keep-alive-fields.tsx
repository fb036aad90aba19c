import type { KeepAlive } from '#shared/contract/servers.ts';
import { TextField } from '#ui/field.tsx';
import { Choice, type Option } from './choice.tsx';
import type { Draft } from './draft/draft.ts';
import type { FieldProps } from './field-props.ts';

const reactions: readonly Option<KeepAlive['onSilence']>[] = [
  { id: 'warn', label: 'warn', does: 'The status bar says it; the session goes on.' },
  { id: 'reconnect', label: 'reconnect', does: 'The session is ended and a new one begins.' },
];

/** Whether `ping` goes out by itself, and what follows when it stays unanswered. */
export function KeepAliveFields({ draft, errors, change, judge }: FieldProps<Draft>) {
  const { keepAlive } = draft;
  const isOff = keepAlive.every.trim() === '';
  const set = (part: Partial<Draft['keepAlive']>) => change({ keepAlive: { ...keepAlive, ...part } });
  return (
    <fieldset>
      <legend className="mb-1 flex w-full items-baseline justify-between gap-3 font-medium">
        Keep-alive{' '}
        <span className="text-xs font-normal text-faint">legacy era only: the modern one has no ping</span>
      </legend>
      <div className="grid grid-cols-2 items-start gap-3">
        <TextField
          label={<span className="font-normal text-mute">Ping every</span>}
          hint="seconds, or empty"
          mono
          inputMode="decimal"
          placeholder="never"
          value={keepAlive.every}
          error={errors['keepAlive.every']}
          onChange={(every) => set({ every })}
          onBlur={() => judge('keepAlive.every')}
        />
        <Choice
          label="After three without an answer"
          isPart
          value={keepAlive.onSilence}
          options={reactions.map((reaction) => ({ ...reaction, disabled: isOff }))}
          note={isOff ? 'No ping goes out by itself.' : undefined}
          onChange={(onSilence) => set({ onSilence })}
        />
      </div>
    </fieldset>
  );
}
