import { Plus, Trash2 } from 'lucide-react';
import type { HeaderChange } from '#shared/contract/sessions.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { Checkbox, Input } from '#ui/field.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The header lines of one request: those of the session can be left out or replaced, others added. */
export function HeaderFields({
  lines,
  changes,
  onChange,
}: {
  readonly lines: readonly (readonly [string, string])[];
  readonly changes: readonly HeaderChange[];
  readonly onChange: (changes: readonly HeaderChange[]) => void;
}) {
  const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const changeOf = (name: string) => changes.find((one) => isSame(one.name, name));
  const set = (name: string, change: HeaderChange | null) =>
    onChange([...changes.filter((one) => !isSame(one.name, name)), ...(change === null ? [] : [change])]);
  const own = changes.filter(({ name }) => !lines.some(([line]) => isSame(line, name)));
  const replaceOwn = (at: number, change: HeaderChange | null) =>
    onChange(changes.flatMap((one) => (one === own[at] ? (change === null ? [] : [change]) : [one])));
  return (
    <div className="min-h-0 flex-1 overflow-auto p-3">
      <table className="w-full">
        <caption className="pb-1 text-left text-sm text-mute">
          Header lines of this message only. Host, Content-Length and Connection are added.
        </caption>
        <tbody>
          {lines.map(([name, value]) => {
            const change = changeOf(name);
            const isSent = change?.value !== null;
            return (
              <tr key={name}>
                <td className="w-52 pr-2">
                  <Checkbox
                    label={<span className="mono">{visibleLine(name)}</span>}
                    checked={isSent}
                    onChange={(sends) => set(name, sends ? null : { name, value: null })}
                  />
                </td>
                <td>
                  <Input
                    aria-label={`Value of ${name}`}
                    value={change?.value ?? value}
                    disabled={!isSent}
                    onChange={({ target }) => set(name, { name, value: target.value })}
                    className="mono"
                  />
                </td>
              </tr>
            );
          })}
          {own.map(({ name, value }, at) => (
            // Its name changes while it is typed.
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={`own ${at}`}>
              <td className="w-52 pr-2">
                <Input
                  aria-label="Name of a header"
                  placeholder="Name"
                  value={name}
                  onChange={({ target }) => replaceOwn(at, { name: target.value, value })}
                  className="mono"
                />
              </td>
              <td>
                <span className="flex items-center gap-1">
                  <Input
                    aria-label={`Value of ${name === '' ? 'the new header' : name}`}
                    value={value ?? ''}
                    onChange={({ target }) => replaceOwn(at, { name, value: target.value })}
                    className="mono"
                  />
                  <IconButton
                    size="small"
                    label={`Remove ${name === '' ? 'the new header' : name}`}
                    onClick={() => replaceOwn(at, null)}
                  >
                    <Trash2 aria-hidden className="size-3.5" />
                  </IconButton>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button
        size="small"
        className="mt-2"
        icon={<Plus aria-hidden className="size-3.5" />}
        disabled={own.some(({ name }) => name === '')}
        onClick={() => onChange([...changes, { name: '', value: '' }])}
      >
        Add a header
      </Button>
    </div>
  );
}
