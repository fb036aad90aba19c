import type { ReactNode } from 'react';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** Names and values, one per line; null facts are skipped. The name column has a minimum width, to align lists. */
export function Facts({ facts }: { readonly facts: readonly (Fact | null)[] }) {
  return (
    <dl className="grid grid-cols-[minmax(72px,max-content)_minmax(0,1fr)] gap-x-4">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact.name} className="col-span-2 grid min-h-row grid-cols-subgrid items-baseline">
              <dt className="text-mute">{fact.name}</dt>
              <dd className="min-w-0 [overflow-wrap:anywhere]">{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
