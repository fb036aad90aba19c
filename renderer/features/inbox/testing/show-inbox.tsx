import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { useSessions } from '#model/sessions.ts';
import { type Answers, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anEntry, aServer, aSession } from '#model/testing/samples.ts';
import { inboxArea, type InboxEntry } from '#shared/contract/inbox.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { InboxPane } from '../inbox-pane.tsx';

const answered = inboxArea.commands['inbox/answer'].params;

let sessions = 0;

/** Shows the pane of a new session with these questions, with an engine that accepts every answer. */
export async function showInbox(
  asked: readonly Partial<InboxEntry>[],
  { session = {}, answers = {} }: { session?: Partial<SessionView>; answers?: Answers } = {},
) {
  const sessionId = `inbox-${++sessions}`;
  const entries = asked.map((change, index) =>
    anEntry({ id: `${sessionId}-${index}`, askedAt: Date.UTC(2026, 0, 1, 12, index), ...change, sessionId }),
  );
  useServers.setState({ servers: [aServer()] });
  useSessions.setState({ sessions: { [sessionId]: aSession({ ...session, id: sessionId }) } });
  useSelection.setState({ serverId: 'v1', pane: 'inbox', traceRow: {} });
  const tell = (id: string, change: Partial<InboxEntry>) => {
    const at = entries.findIndex((entry) => entry.id === id);
    const changed = { ...anEntry(), ...entries[at], ...change };
    entries[at] = changed;
    engine.emit('inbox/changed', changed);
  };
  const engine = fakeEngine({
    'inbox/list': () => [...entries],
    'inbox/answer': ({ entryId, answer }) => {
      tell(entryId, { state: 'answered', answer: { said: answer, by: 'user' }, answerRow: 20 });
      return null;
    },
    'calls/list': () => [],
    ...answers,
  });
  render(<InboxPane />);
  await screen.findByRole(asked.length === 0 ? 'heading' : 'listbox');
  return {
    engine,
    sessionId,
    user: userEvent.setup(),
    /** Changes a question as the engine does, by index. */
    change: (index: number, change: Partial<InboxEntry>) => act(() => tell(`${sessionId}-${index}`, change)),
    /** The answers sent so far, in order. */
    given: () => engine.asked('inbox/answer').map((params) => answered.parse(params).answer),
  };
}

export const list = () => screen.getByRole('listbox', { name: 'Questions' });
export const lines = () => screen.getAllByRole('option').map(({ textContent }) => textContent);
export const chosen = () => screen.getByRole('option', { selected: true }).textContent;
export const question = () => screen.getByRole('region', { name: 'Question' });
export const answer = () => screen.getByRole('region', { name: 'Answer' });
export const editor = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Answer as JSON' });
export const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));
