import type { CallHeader } from '#shared/contract/calls.ts';
import type { HeaderChange } from '#shared/contract/sessions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';

/** The lines with these changes, in their order; a new line comes last. */
export function withChanges(lines: HeaderLines, changes: readonly HeaderChange[]): HeaderLines {
  if (changes.length === 0) return lines;
  const named = (name: string) =>
    changes.filter((change) => change.name.toLowerCase() === name.toLowerCase());
  const kept = lines.flatMap(([name, value]): HeaderLines => {
    const [change] = named(name);
    if (change === undefined) return [[name, value]];
    return change.value === null ? [] : [[change.name, change.value]];
  });
  const known = new Set(kept.map(([name]) => name.toLowerCase()));
  const added = changes.filter(({ name, value }) => value !== null && !known.has(name.toLowerCase()));
  return [...kept, ...added.map(({ name, value }) => [name, value ?? ''] as const)];
}

/** The lines of the user for a server, with those for one message, which replace them. */
export function withCallHeaders(lines: HeaderLines, callHeaders: readonly CallHeader[]): HeaderLines {
  if (callHeaders.length === 0) return lines;
  const names = new Set(callHeaders.map(({ name }) => name.toLowerCase()));
  return [
    ...lines.filter(([name]) => !names.has(name.toLowerCase())),
    ...callHeaders.map(({ name, value }) => [name, value] as const),
  ];
}
