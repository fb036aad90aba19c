import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { currentCommands } from '#model/commands.ts';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { type Answers, emit, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession, anAgreement, aTask } from '#fixtures/page/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { Task, UnfinishedTask } from '#shared/contract/tasks.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { TasksPane } from './tasks-pane.tsx';

const start = useSelection.getState();
beforeEach(() => {
  useSelection.setState({ ...start, serverId: 'v1' });
});
afterEach(cleanup);

const withTasks = anAgreement({ serverCapabilities: { tasks: { list: {}, cancel: {} } } });

/** Each test has a session of its own: the page keeps the tasks of a session. */
let count = 0;

/** Shows the pane of a session with these tasks. */
function showTasks(
  tasks: readonly Partial<Task>[],
  {
    resumable = [],
    session = {},
    answers = {},
  }: {
    readonly resumable?: readonly UnfinishedTask[];
    readonly session?: Partial<SessionView>;
    readonly answers?: Answers;
  } = {},
) {
  const sessionId = `s-tasks-${++count}`;
  const engine = fakeEngine({
    'tasks/list': () => tasks.map((task) => aTask({ ...task, sessionId })),
    'tasks/resumable': () => ({ sessionId, tasks: [...resumable] }),
    ...answers,
  });
  const view = aSession({ id: sessionId, agreement: withTasks, ...session });
  useSessions.setState({ sessions: { [sessionId]: view } });
  render(<TasksPane />);
  return { engine, sessionId };
}

const unfinished = (change: Partial<UnfinishedTask> = {}): UnfinishedTask => ({
  id: 'old-1',
  kind: 'core',
  method: 'tools/call',
  tool: 'research',
  status: 'working',
  startedAt: Date.now(),
  ttl: null,
  seenAt: Date.now(),
  ...change,
});

describe('without tasks', () => {
  test('a server that declares them: how a tool becomes one', async () => {
    showTasks([]);
    expect(await screen.findByText(/Run a tool with “Request a task”/)).toBeDefined();
    expect(screen.getByRole('button', { name: 'Show its tools' })).toBeDefined();
  });

  test('a server that does not: what it would have to declare', async () => {
    showTasks([], { session: { agreement: anAgreement() } });
    expect(await screen.findByText(/This server declares none/)).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Show its tools' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Resume a task by id…' })).toBeDefined();
  });

  test('a task is resumed by its id', async () => {
    const user = userEvent.setup();
    let sessionOf = '';
    const { engine, sessionId } = showTasks([], {
      answers: {
        'tasks/follow': ({ taskId }) => aTask({ id: taskId, sessionId: sessionOf, method: null, tool: null }),
      },
    });
    sessionOf = sessionId;
    await user.click(await screen.findByRole('button', { name: 'Resume a task by id…' }));
    await user.type(screen.getByRole('textbox', { name: 'Task id' }), ' abc ');
    await user.keyboard('{Enter}');
    expect(await screen.findByRole('heading', { name: 'abc' })).toBeDefined();
    expect(engine.asked('tasks/follow')).toEqual([{ sessionId, taskId: 'abc' }]);
    expect(screen.queryByRole('form', { name: 'Resume a task by id' })).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('listbox', { name: 'Tasks' })));
  });

  test('an id that the server does not know keeps the form, with the reason', async () => {
    const user = userEvent.setup();
    showTasks([], {
      answers: {
        'tasks/follow': () => {
          throw new FaultError({ code: 'task-gone', what: 'The server does not know task x.' });
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Resume a task by id…' }));
    await user.type(screen.getByRole('textbox', { name: 'Task id' }), 'x');
    await user.click(screen.getByRole('button', { name: 'Resume' }));
    expect(await screen.findByText('The server does not know task x.')).toBeDefined();
  });
});

describe('a task', () => {
  const history = [
    { status: 'working', statusMessage: 'Reading', row: 7, at: 1000 },
    { status: 'input_required', statusMessage: null, row: 11, at: 3000 },
  ];

  test('is shown with its timeline, each step with its row', async () => {
    showTasks([{ status: 'input_required', history, startedAt: Date.now() - 5000 }]);
    const timeline = await screen.findByRole('list', { name: 'Timeline' });
    const [first, second] = within(timeline).getAllByRole('listitem');
    expect(first?.textContent).toContain('working');
    expect(first?.textContent).toContain('Reading');
    expect(second?.textContent).toContain('input_required');
    expect(second?.textContent).toContain('+0:02');
    expect(screen.getByText(/left of 1:00/, { selector: 'dd *' })).toBeDefined();
    await userEvent.click(
      within(timeline).getByRole('button', { name: `Row ${rowNumber(11)} of the trace` }),
    );
    expect(Object.values(useSelection.getState().traceRow)).toContain(11);
  });

  test('changes as the engine reports it', async () => {
    const { sessionId } = showTasks([{}], {
      answers: {
        'tasks/result': () => ({ text: '{"content":[{"type":"text","text":"All read"}]}' }),
      },
    });
    expect((await screen.findByRole('option')).textContent).toContain('working');
    const ended = { status: 'completed', isFollowed: false, resultRow: 20 };
    act(() => emit('tasks/changed', aTask({ sessionId, ...ended })));
    expect(screen.getByRole('option').textContent).toContain('completed');
    expect(await screen.findByText('All read')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull();
  });

  test('is polled and cancelled by its buttons, and from the palette', async () => {
    const user = userEvent.setup();
    const { engine, sessionId } = showTasks([{}], {
      answers: {
        'tasks/follow': ({ sessionId: id }) => aTask({ sessionId: id }),
        'tasks/cancel': () => null,
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Poll now' }));
    expect(engine.asked('tasks/follow')).toEqual([{ sessionId, taskId: 'task-1' }]);
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(engine.asked('tasks/cancel')).toEqual([{ sessionId, taskId: 'task-1' }]);
    const titles = currentCommands().map(({ title }) => title);
    expect(titles).toEqual(
      expect.arrayContaining(['Poll the task now', 'Cancel the task', 'Resume a task by id…']),
    );
  });

  test('that is not followed says why, and can be followed', async () => {
    showTasks([
      { isFollowed: false, fault: { code: 'task-unanswered', what: 'The last 3 requests failed.' } },
    ]);
    expect(await screen.findByText('The last 3 requests failed.')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Follow' })).toBeDefined();
  });

  test('that ended without its result here has it fetched', async () => {
    const user = userEvent.setup();
    const { engine } = showTasks([{ status: 'completed', isFollowed: false }], {
      answers: { 'tasks/result': () => ({ text: null }) },
    });
    await user.click(await screen.findByRole('button', { name: 'Get result' }));
    expect(engine.asked('tasks/result')).toHaveLength(1);
  });

  test('that failed shows its error', async () => {
    const error = { code: -32603, message: 'The job broke' };
    showTasks([{ status: 'failed', isFollowed: false, resultRow: 12, error }]);
    expect(await screen.findByText('The job broke')).toBeDefined();
    expect(screen.getByText('-32603')).toBeDefined();
  });

  test('of ours says who runs it, and where it is answered', async () => {
    const user = userEvent.setup();
    showTasks([{ owner: 'client', method: 'sampling/createMessage', tool: null, isFollowed: false }]);
    expect(await screen.findByText('this client, for the server')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Poll now' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Answer in the Inbox' }));
    expect(useSelection.getState().pane).toBe('inbox');
  });

  test('of a session that has ended has no buttons', async () => {
    showTasks([{ isFollowed: false }], { session: { phase: 'closed' } });
    await screen.findByRole('list', { name: 'Timeline' });
    expect(screen.queryByRole('button', { name: 'Follow' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull();
  });
});

describe('tasks of an earlier session', () => {
  test('are offered, and resumed by a click', async () => {
    const user = userEvent.setup();
    const { engine, sessionId } = showTasks([], {
      resumable: [unfinished()],
      answers: { 'tasks/follow': ({ sessionId: id, taskId }) => aTask({ id: taskId, sessionId: id }) },
    });
    expect(await screen.findByText('1 task of an earlier session had not ended.')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Resume research old-1' }));
    expect(engine.asked('tasks/follow')).toEqual([{ sessionId, taskId: 'old-1' }]);
    expect(await screen.findByRole('heading', { name: 'research' })).toBeDefined();
    act(() => emit('tasks/resumable-changed', { sessionId, tasks: [] }));
    expect(screen.queryByText(/had not ended/)).toBeNull();
  });

  test('say why when the server does not know the only one of them any more', async () => {
    const user = userEvent.setup();
    const { sessionId } = showTasks([], {
      resumable: [unfinished()],
      answers: {
        'tasks/follow': () => {
          emit('tasks/resumable-changed', { sessionId, tasks: [] });
          throw new FaultError({ code: 'task-gone', what: 'The server does not know task old-1.' });
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Resume research old-1' }));
    expect(await screen.findByText('The server does not know task old-1.')).toBeDefined();
    expect(screen.getByRole('heading', { name: 'No tasks yet' })).toBeDefined();
  });

  test('are dismissed', async () => {
    const user = userEvent.setup();
    const { engine, sessionId } = showTasks([], {
      resumable: [unfinished()],
      answers: { 'tasks/forget': () => null },
    });
    await user.click(await screen.findByRole('button', { name: 'Dismiss research old-1' }));
    expect(engine.asked('tasks/forget')).toEqual([{ sessionId, taskId: 'old-1' }]);
  });
});
