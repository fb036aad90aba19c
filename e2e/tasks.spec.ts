import { startEverything } from '#fixtures/http/start-server.ts';
import { startLegacyServer } from '#fixtures/legacy/start.ts';
import { startModernServer } from '#fixtures/modern/start.ts';
import { type App, expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { only } from './hosts/only.ts';
import { connectToUrl } from './http-servers.ts';
import { RecordedList } from './recorded-list.ts';
import { everything } from './servers.ts';
import { TasksPane } from './tasks-pane.ts';
import { Window } from './window.ts';

/** A task that works until it is cancelled, and is polled five times a second. */
const endless = { steps: '1', milliseconds: '200' };

/** The servers of both forms of tasks that run beside the app. */
const servers = {
  '2025-11-25': { start: () => startLegacyServer(), isAsked: true },
  'the extension': { start: () => startModernServer(), isAsked: false },
} as const;

type Form = keyof typeof servers;

/** Opens the app on a server that outlives it. */
async function openOn(app: App, form: Form) {
  const { start, isAsked } = servers[form];
  const server = await start();
  const window = new Window(await app.open());
  await connectToUrl(window, 'worker', server.url);
  return { window, tasks: new TasksPane(window), server, isAsked };
}

/** Starts the app again, and connects it to the same server. */
async function reconnect(app: App): Promise<Window> {
  const window = new Window(await app.restart());
  await window.server('worker').click();
  await window.page.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).click();
  await window.expectPhase('ready');
  return window;
}

test.describe('tasks', () => {
  test('of a real server: one runs to its end, one is cancelled', async ({ app }) => {
    const window = new Window(await app.open(...everything));
    await window.expectPhase('ready');
    const tasks = new TasksPane(window);
    await tasks.show();
    await expect(tasks.pane).toContainText('No tasks yet');
    await expect(tasks.pane).toContainText('Run a tool with “Request a task”');

    await tasks.start('simulate-research-query', { topic: 'sight glasses' }, { isAsked: true });
    await expect(tasks.task).toContainText(/left of/);
    await tasks.expectStatus('completed');
    await expect(tasks.result).toContainText('sight glasses');
    await expect(tasks.timeline.getByRole('listitem').first()).toContainText('working');
    await expect(tasks.timeline.getByRole('listitem').last()).toContainText('completed');
    await tasks.timeline.getByRole('button', { name: /^Row/ }).last().click();
    await expect(window.trace.region).toContainText('"status": "completed"');

    await tasks.start('simulate-research-query', { topic: 'pipes' }, { isAsked: true });
    await tasks.task.getByRole('button', { name: 'Cancel' }).click();
    await tasks.expectStatus('cancelled');
    await expect(tasks.list.getByRole('option')).toHaveCount(2);
    await expect(tasks.pane).toContainText('2 tasks · none running');
  });

  for (const form of ['2025-11-25', 'the extension'] as const) {
    const runsOn = form === 'the extension' ? only.page : {};
    test(
      `of ${form} are resumed after a restart of the app, from a server that kept running`,
      runsOn,
      async ({ app }) => {
        const { tasks, server, isAsked } = await openOn(app, form);
        try {
          await tasks.start('long-job', endless, { ends: 'never', isAsked });
          await tasks.expectStatus('working');
          await tasks.task.getByRole('button', { name: 'Poll now' }).click();
          const id = /Id\s*(\S+)/.exec(await tasks.task.innerText())?.[1] ?? '';
          expect(id).not.toBe('');

          const after = await reconnect(app);
          const resumed = new TasksPane(after);
          await resumed.show();
          await expect(resumed.resumable).toContainText('1 task of an earlier session had not ended');
          await resumed.resumable.getByRole('button', { name: `Resume long-job ${id}` }).click();
          await expect(resumed.task).toContainText(id);
          await resumed.expectStatus('working');
          await expect(resumed.resumable).toBeHidden();
          await resumed.task.getByRole('button', { name: 'Cancel' }).click();
          await resumed.expectStatus('cancelled');

          // Any id can be resumed, also of a task that has ended.
          const last = new TasksPane(await reconnect(app));
          await last.show();
          await last.pane.getByRole('button', { name: 'Resume a task by id…' }).click();
          const field = last.pane.getByRole('textbox', { name: 'Task id' });
          await field.fill('never-was');
          await field.press('Enter');
          await expect(last.pane).toContainText('The server does not know task never-was');
          await field.fill(id);
          await field.press('Enter');
          await last.expectStatus('cancelled');
        } finally {
          await server.close();
        }
      },
    );
  }

  // Server-everything keeps its tasks by session, and each start of the app begins another session: the servers of the
  // tests before, which keep theirs beyond it, show that a task is resumed.
  test(
    'of server-everything over HTTP run to their end, and are unknown to a later session',
    only.page,
    async ({ app }) => {
      const server = await startEverything('streamableHttp');
      try {
        const window = new Window(await app.open());
        await connectToUrl(window, 'worker', server.url);
        const tasks = new TasksPane(window);
        await tasks.start('simulate-research-query', { topic: 'sight glasses' }, { isAsked: true });
        await tasks.expectStatus('completed');
        await expect(tasks.result).toContainText('sight glasses');
        await tasks.start('simulate-research-query', { topic: 'pipes' }, { isAsked: true });
        await tasks.expectStatus('working');

        const after = new TasksPane(await reconnect(app));
        await after.show();
        await after.resumable.getByRole('button', { name: /^Resume simulate-research-query/ }).click();
        await expect(after.pane).toContainText('The server does not know task');
      } finally {
        await server.close();
      }
    },
  );

  test('are started, polled, resumed and cancelled with the keyboard alone', only.page, async ({ app }) => {
    const { window, tasks, server } = await openOn(app, 'the extension');
    const { keyboard } = window.page;
    const command = async (title: string) => {
      await keyboard.press('ControlOrMeta+K');
      await expect(window.page.getByRole('dialog').getByRole('combobox')).toBeFocused();
      await keyboard.type(title);
      await keyboard.press('Enter');
    };
    try {
      await tasks.start('long-job', endless, { ends: 'never', isAsked: false });
      await tasks.start('long-job', endless, { ends: 'completed', isAsked: false });
      await tasks.expectStatus('completed');
      await window.show('Overview');
      await keyboard.press('ControlOrMeta+8');
      await window.tabTo(tasks.list);
      await keyboard.press('ArrowDown');
      await tasks.expectStatus('working');
      await command('Poll the task now');
      await command('Resume a task by id');
      await expect(tasks.pane.getByRole('textbox', { name: 'Task id' })).toBeFocused();
      await keyboard.type('never-was');
      await keyboard.press('Enter');
      await expect(tasks.pane).toContainText('The server does not know task never-was');
      await keyboard.press('Escape');
      await expect(tasks.pane.getByRole('textbox', { name: 'Task id' })).toBeHidden();
      await command('Cancel the task');
      await tasks.expectStatus('cancelled');
      await window.tabTo(tasks.timeline.getByRole('button', { name: /^Row/ }).last());
      await keyboard.press('Enter');
      // The detail has room for the whole response.
      await keyboard.press('Alt+Shift+T');
      await expect(window.trace.region).toContainText('Cancelled as');
    } finally {
      await server.close();
    }
  });

  test('are shown by a recorded trace as they were', only.page, async ({ app }) => {
    const { window, tasks, server } = await openOn(app, '2025-11-25');
    const shown = async (pane: TasksPane) => {
      // The engine notes the end of a session a moment after its record.
      const texts: string[] = [(await pane.list.innerText()).replaceAll(/\d+:\d\d/g, '')];
      for (const option of await pane.list.getByRole('option').all()) {
        await option.click();
        texts.push(await pane.timeline.innerText());
      }
      return texts.join('\n');
    };
    try {
      await tasks.start('long-job', { steps: '2' }, { isAsked: true });
      await tasks.expectStatus('completed');
      await expect(tasks.result).toContainText('Done in 2 steps');
      await tasks.start('long-job', endless, { ends: 'never', isAsked: true });
      await window.page.getByRole('button', { name: 'Disconnect' }).click();
      await window.expectPhase('closed');
      await tasks.show();
      await expect(tasks.task).toContainText('may go on at the server');
      const live = await shown(tasks);

      const after = new Window(await app.restart());
      const list = new RecordedList(after.page);
      await list.region.locator('[data-trace]').click();
      await expect(after.status).toContainText('recorded');
      const recorded = new TasksPane(after);
      await recorded.show();
      await expect(recorded.task).toContainText('may go on at the server');
      expect(await shown(recorded)).toEqual(live);
      await recorded.list.getByRole('option').last().click();
      await expect(recorded.result).toContainText('Done in 2 steps');
      await expect(recorded.task.getByRole('button', { name: 'Cancel' })).toBeHidden();
    } finally {
      await server.close();
    }
  });

  test('axe finds nothing in the dark and in the light', only.web, async ({ app }) => {
    const { window, tasks, server } = await openOn(app, '2025-11-25');
    try {
      await tasks.show();
      await tasks.pane.getByRole('button', { name: 'Resume a task by id…' }).click();
      expect.soft(await findings(window.page), 'no tasks').toEqual([]);
      await tasks.start('long-job', { steps: '2' }, { isAsked: true });
      await expect(tasks.result).toBeVisible();
      expect.soft(await findings(window.page), 'a task that has ended').toEqual([]);
      await tasks.start('long-job', endless, { ends: 'never', isAsked: true });
      expect.soft(await findings(window.page, PANE), 'a running task').toEqual([]);
      const after = await reconnect(app);
      const resumed = new TasksPane(after);
      await resumed.show();
      await expect(resumed.resumable).toBeVisible();
      expect.soft(await findings(after.page, PANE), 'tasks to resume').toEqual([]);
    } finally {
      await server.close();
    }
  });
});
