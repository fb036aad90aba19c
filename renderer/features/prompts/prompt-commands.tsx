import { useMemo } from 'react';
import { catalogLines, usePromptList } from '#model/catalog.ts';
import { useCommands } from '#model/commands.ts';
import { selectPane } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { visibleLine } from '#ui/visible.ts';
import { selectPrompt } from './prompts-state.ts';

/** Prompts in the palette; a server may list thousands. */
const MAX_COMMANDS = 200;

/** Makes each prompt of a session a command of the palette, which opens its form. */
export function PromptCommands({ session }: { readonly session: SessionStatus }) {
  const { list } = usePromptList(session);
  const { serverId } = session;
  const server = useServers(({ servers }) => servers.find(({ id }) => id === serverId)?.name ?? '');
  const commands = useMemo(
    () =>
      catalogLines(list?.entries ?? [])
        .slice(0, MAX_COMMANDS)
        .map(({ key, title, name }) => ({
          id: `prompt.${key}`,
          title: `Prompt: ${visibleLine(title)}`,
          group: 'Prompts' as const,
          keywords: [visibleLine(name ?? ''), visibleLine(server)],
          run: () => {
            selectPrompt(serverId, key);
            selectPane('prompts');
          },
        })),
    [list, serverId, server],
  );
  useCommands(commands);
  return null;
}
