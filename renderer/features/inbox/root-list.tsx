import { z } from 'zod';
import { useRootState } from '#model/roots.ts';
import { RootLine } from '#ui/root-state.tsx';
import { Part } from './pane-layout.tsx';

const resultSchema = z.object({
  roots: z.array(z.object({ uri: z.string(), name: z.string().nullable().catch(null) })),
});

/**
 * The roots in a result of `roots/list`, each with what is there now (MCP 2025-06-18 roots: clients validate that roots are
 * accessible). Renders nothing if it has none, or is another result.
 */
export function RootList({ json, note }: { readonly json: string; readonly note: string }) {
  const roots = rootsIn(json);
  if (roots.length === 0) return null;
  return (
    <Part name="Roots" note={note}>
      <ul className="flex flex-col gap-1">
        {roots.map(({ uri, name }, index) => (
          <ListedRoot key={index} uri={uri} name={name} />
        ))}
      </ul>
    </Part>
  );
}

/** The JSON text of the user may be anything. */
function rootsIn(json: string): z.output<typeof resultSchema>['roots'] {
  try {
    return resultSchema.safeParse(JSON.parse(json)).data?.roots ?? [];
  } catch {
    // Shown as it was written.
    return [];
  }
}

function ListedRoot(root: { readonly uri: string; readonly name: string | null }) {
  return <RootLine {...root} state={useRootState(root.uri)} />;
}
