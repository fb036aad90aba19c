import { useSwitches } from '#model/switches.ts';
import { formatQuantity } from '#shared/format.ts';
import { Chip } from '#ui/chip.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { showSwitches } from './section-state.ts';
import { turnedOn } from './switch-table.ts';

/** Says that we break rules on purpose at this server, and leads to where that is turned off. */
export function BadClient({ serverId }: { readonly serverId: string }) {
  const switches = useSwitches(serverId);
  const on = switches === null ? [] : turnedOn(switches);
  if (on.length === 0) return null;
  return (
    <Tooltip side="top" text={on.map(({ label }) => label).join(', ')}>
      <button
        type="button"
        onClick={() => showSwitches(serverId)}
        className="flex rounded-full outline-offset-1"
      >
        <Chip tone="warn" className="bg-warn/10 hover:border-warn">
          bad client: {formatQuantity(on.length, 'switch', 'switches')}
        </Chip>
      </button>
    </Tooltip>
  );
}
