import { SlidersHorizontal, X } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { removeRule, saveRules } from '#model/replay.ts';
import { useQuery } from '#model/use-query.ts';
import type { ComparisonRule } from '#shared/contract/comparison.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Input, SelectBox } from '#ui/field.tsx';
import { Popover } from '#ui/popover.tsx';
import { visibleLine } from '#ui/visible.ts';

type Way = 'ignore' | 'type' | 'unordered' | 'exact' | 'subset';

const ways: readonly { readonly value: Way; readonly label: string }[] = [
  { value: 'ignore', label: 'Ignore' },
  { value: 'type', label: 'Type only' },
  { value: 'unordered', label: 'Any order' },
  { value: 'subset', label: 'More members are fine' },
  { value: 'exact', label: 'All, noise too' },
];

/** The rules that are kept for a server: each can be removed, and others added. */
export function RulesPopover({
  paneId,
  sessionId,
  comparisonId,
}: {
  readonly paneId: string;
  /** The recorded side, whose server the rules are kept for. */
  readonly sessionId: string;
  /** Rules are read again with each comparison. */
  readonly comparisonId: string;
}) {
  const { latest, fault } = useQuery(comparisonId, () => call('comparison/rules', { sessionId }));
  const [path, setPath] = useState('');
  const [way, setWay] = useState<Way>('ignore');
  const rules = latest ?? [];
  const add = () => {
    if (path.trim() === '') return;
    const rule: ComparisonRule =
      way === 'subset'
        ? { path: path.trim(), compare: 'exact', subset: true }
        : { path: path.trim(), compare: way };
    setPath('');
    void saveRules(paneId, [...rules.filter((one) => one.path !== rule.path), rule]);
  };
  return (
    <Popover
      label="Rules of the comparison"
      align="end"
      className="w-[400px]"
      trigger={
        <Button icon={<SlidersHorizontal aria-hidden className="size-3.5" />}>
          Rules <span className="text-xs text-mute">{rules.length}</span>
        </Button>
      }
    >
      <h3 className="font-semibold">Rules of this server</h3>
      <p className="mt-0.5 text-sm text-mute">
        Ids, times, cursors, secrets and values in _meta are ignored without a rule.
      </p>
      {fault !== null && <FaultCard fault={fault} className="mt-2" />}
      <ul aria-label="Rules" className="mt-2 max-h-60 overflow-y-auto">
        {rules.map((rule) => (
          <li key={rule.path} className="flex h-7 items-center gap-2 border-t border-line">
            <span className="mono min-w-0 flex-1 truncate" title={visibleLine(rule.path)}>
              {visibleLine(rule.path)}
            </span>
            <span className="shrink-0 text-sm text-mute">{wayText(rule)}</span>
            <IconButton
              size="small"
              label={`Remove the rule for ${visibleLine(rule.path)}`}
              onClick={() => void removeRule(paneId, rule)}
            >
              <X aria-hidden className="size-3.5" />
            </IconButton>
          </li>
        ))}
        {rules.length === 0 && <li className="py-1 text-sm text-faint">No rule yet.</li>}
      </ul>
      <form
        className="mt-2 flex gap-1.5 border-t border-line pt-3"
        onSubmit={(submit) => {
          submit.preventDefault();
          add();
        }}
      >
        <Input
          aria-label="Path of a new rule"
          placeholder="$..requestId"
          value={path}
          onChange={({ target }) => setPath(target.value)}
          className="mono min-w-0 flex-1"
        />
        <SelectBox
          aria-label="How to compare there"
          value={way}
          options={ways}
          onChange={setWay}
          className="w-32 shrink-0"
        />
        <Button type="submit">Add</Button>
      </form>
    </Popover>
  );
}

function wayText({ compare, subset, tolerance, pattern }: ComparisonRule): string {
  if (subset === true) return 'more members are fine';
  if (compare === 'tolerance') return `within ${tolerance ?? 0}`;
  if (compare === 'regex') return `matches ${pattern ?? ''}`;
  return (ways.find(({ value }) => value === compare)?.label ?? compare).toLowerCase();
}
