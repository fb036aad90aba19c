import { render, screen, waitFor } from '@testing-library/react';
import { type UserEvent, userEvent } from '@testing-library/user-event';
import { expect } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import type { ToolEntry, ToolList } from '#shared/contract/catalog.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { useToolsState } from '../drafts.ts';
import { ToolsPane } from '../tools-pane.tsx';
import { engine, session } from '#fixtures/page/fake-tools.ts';

let servers = 0;

/** Shows the pane for a new server and session with these tools. */
export async function showPane(
  tools: readonly ToolEntry[] | Partial<ToolList>,
  change: Partial<SessionView> = {},
): Promise<UserEvent> {
  engine.tools = {
    state: 'ready',
    entries: [],
    pages: 1,
    fault: null,
    cache: null,
    ...('length' in tools ? { entries: [...tools] } : tools),
  };
  const serverId = `v${++servers}`;
  const id = `s${servers}`;
  engine.sessionId = id;
  useToolsState.setState({ drafts: {}, selected: {}, shownCall: {}, resultView: 'content' });
  useSessions.setState({ sessions: { [id]: { ...session, ...change, id, serverId } } });
  useSelection.setState({ serverId });
  render(<ToolsPane />);
  await waitFor(() => expect(screen.queryByLabelText('Tools are loading')).toBeNull());
  return userEvent.setup();
}

/** Waits for a field of the form, which is loaded lazily. */
export const field = (name: string | RegExp): Promise<HTMLElement> => screen.findByRole('textbox', { name });

export const run = async (user: UserEvent): Promise<void> =>
  user.click(screen.getByRole('button', { name: /^Run($| Ctrl| anyway)/ }));
