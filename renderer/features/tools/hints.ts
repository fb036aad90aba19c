import type { Tool } from '#shared/contract/catalog.ts';

/** A hint in effect: set by the server, or the default. */
interface Hint {
  readonly name: HintName;
  readonly label: string;
  readonly isExplicit: boolean;
  readonly meaning: string;
}

/** The hints in effect for a tool. A read-only tool has no destructive and idempotent hints. */
export function effectiveHints(annotations: Tool['annotations']): readonly Hint[] {
  const isReadOnly = annotations?.readOnlyHint ?? false;
  return rules
    .filter(({ onlyWhenWriting }) => !(isReadOnly && onlyWhenWriting))
    .map(({ name, preset, labels, meanings }) => {
      const said = annotations?.[name];
      const at = (said ?? preset) ? 0 : 1;
      const source =
        said === undefined
          ? `The server does not say; ${name} defaults to ${preset}.`
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
  /** The value of a hint that the tool does not set (MCP 2025-03-26 schema, ToolAnnotations). */
  readonly preset: boolean;
  readonly labels: readonly [whenTrue: string, whenFalse: string];
  readonly meanings: readonly [whenTrue: string, whenFalse: string];
  /** Set if the hint has a meaning only for tools that change something. */
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
    meanings: [
      'Calling it again with the same arguments has no further effect.',
      'Every call may have an effect.',
    ],
    onlyWhenWriting: true,
  },
  {
    name: 'openWorldHint',
    preset: true,
    labels: ['open world', 'closed world'],
    meanings: [
      'It may interact with an open set of things, such as the web.',
      'It interacts with a closed set of things.',
    ],
  },
];
