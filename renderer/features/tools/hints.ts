import type { Tool } from '#shared/contract/catalog.ts';

/** A hint in force: what the server said of its tool, or what holds when it says nothing. */
interface Hint {
  readonly name: HintName;
  readonly label: string;
  readonly isExplicit: boolean;
  /** What the value means, and where it comes from. */
  readonly meaning: string;
}

/** The hints in force for a tool. Whether it destroys or is idempotent says nothing of a read-only tool. */
export function effectiveHints(annotations: Tool['annotations']): readonly Hint[] {
  const isReadOnly = annotations?.readOnlyHint ?? false;
  return rules
    .filter(({ onlyWhenWriting }) => !(isReadOnly && onlyWhenWriting))
    .map(({ name, preset, labels, meanings }) => {
      const said = annotations?.[name];
      const at = (said ?? preset) ? 0 : 1;
      const source =
        said === undefined
          ? `The server does not say; ${name} is ${preset} then.`
          : `The server says ${name}: ${said}.`;
      return {
        name,
        label: labels[at],
        isExplicit: said !== undefined,
        meaning: `${meanings[at]} ${source}`,
      };
    });
}

type HintName = 'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint';

interface HintRule {
  readonly name: HintName;
  /** What holds when the server says nothing (MCP 2025-03-26 schema, ToolAnnotations). */
  readonly preset: boolean;
  readonly labels: readonly [whenTrue: string, whenFalse: string];
  readonly meanings: readonly [whenTrue: string, whenFalse: string];
  /** Only said of tools that change something. */
  readonly onlyWhenWriting?: true;
}

const rules: readonly HintRule[] = [
  {
    name: 'readOnlyHint',
    preset: false,
    labels: ['read-only', 'may write'],
    meanings: ['It changes nothing.', 'It may change its environment.'],
  },
  {
    name: 'destructiveHint',
    preset: true,
    labels: ['may destroy', 'only adds'],
    meanings: ['It may overwrite or delete.', 'It only adds.'],
    onlyWhenWriting: true,
  },
  {
    name: 'idempotentHint',
    preset: false,
    labels: ['idempotent', 'not idempotent'],
    meanings: ['Calling it again with the same arguments does nothing more.', 'Every call may do something.'],
    onlyWhenWriting: true,
  },
  {
    name: 'openWorldHint',
    preset: true,
    labels: ['open world', 'closed world'],
    meanings: [
      'It may reach beyond a closed set of things, such as the web.',
      'It stays within a closed set.',
    ],
  },
];
