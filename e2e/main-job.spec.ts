import { type App, expect, test } from './app.ts';
import { everything, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

interface Subject {
  readonly name: string;
  connect(app: App): Promise<Window>;
  /** One that the server declares, and a member of it. */
  readonly capability: readonly [name: string, member: string];
  /** A tool that takes a while, with arguments for about a second and for minutes. */
  readonly slow: {
    readonly tool: string;
    readonly brief: Readonly<Record<string, string>>;
    readonly long: Readonly<Record<string, string>>;
    readonly steps: number;
    readonly seconds: number;
    readonly says: RegExp;
  };
}

const subjects: readonly Subject[] = [
  {
    name: 'server-everything',
    async connect(app) {
      const window = new Window(await app.open());
      await window.connectTo('everything', typed(everything));
      return window;
    },
    capability: ['resources', 'subscribe'],
    slow: {
      tool: 'trigger-long-running-operation',
      brief: { duration: '1', steps: '4' },
      long: { duration: '600', steps: '3000' },
      steps: 4,
      seconds: 1,
      says: /Long running operation completed/,
    },
  },
  {
    name: 'the demo server',
    async connect(app) {
      const window = new Window(await app.open());
      await window.page.getByRole('button', { name: 'Try the demo server' }).click();
      await window.expectPhase('ready');
      return window;
    },
    capability: ['tools', 'listChanged'],
    slow: {
      tool: 'count_slowly',
      brief: { steps: '4', interval: '250' },
      long: { steps: '1000', interval: '200' },
      steps: 4,
      seconds: 1,
      says: /Counted to 4/,
    },
  },
];

for (const { name, connect, capability, slow } of subjects) {
  test.describe(`the main job with ${name}`, () => {
    test('calls, follows and cancels a tool, and keeps the trace when the server is killed', async ({
      app,
    }) => {
      const window = await connect(app);
      const tools = new ToolsPane(window);
      const slowCalls = window.trace.rows('tools/call', '→', slow.tool);

      await test.step('the capabilities of both sides are shown', async () => {
        await window.show('Overview');
        const declared = window.pane('Overview').getByRole('region', { name: 'Server capabilities' });
        await expect(
          declared.getByRole('row', { name: new RegExp(`^yes ${capability.join(' .*')}`) }),
        ).toBeVisible();
      });

      await test.step('echo is called from its form; the answer and both messages are shown', async () => {
        await tools.call('echo', { message: 'Grüße 👋' });
        await tools.expectOutcome('ok');
        await expect(tools.result).toContainText('Grüße 👋');

        await window.trace.filter('tools/call');
        const request = window.trace.rows('tools/call', '→');
        const response = window.trace.rows('response', 'echo');
        await expect(request).toHaveCount(1);
        await expect(response).toHaveCount(1);
        await request.click();
        await expect(window.trace.detail).toContainText(/answered by #\d+/);
        await expect(window.trace.detail).toContainText('Grüße 👋');
        await window.trace.detail
          .getByRole('button', { name: /^Row #\d+ of the trace$/ })
          .first()
          .click();
        await expect(window.trace.detail).toContainText(/answers #\d+/);
        await expect(response).toHaveAttribute('aria-selected', 'true');
      });

      await test.step('a long call is followed by its progress, and says how long it took', async () => {
        await tools.call(slow.tool, slow.brief);
        await expect(tools.result.getByRole('progressbar', { name: 'Progress of the call' })).toBeVisible();
        await tools.expectOutcome('ok');
        await expect(tools.result).toContainText(slow.says);
        await expect(tools.result).toContainText(`${slow.steps} progress`);

        await window.trace.filter('progress');
        await expect(window.trace.rows('notifications/progress')).toHaveCount(slow.steps);
        await window.trace.filter('tools/call');
        await expect(slowCalls).toHaveCount(1);
        await expect(slowCalls).toContainText('ok');
        // A timer may be a millisecond early at each step.
        const duration = Number(/([\d.]+) s/.exec((await slowCalls.textContent()) ?? '')?.[1]);
        expect(duration).toBeGreaterThanOrEqual(slow.seconds - 0.01);
        await expect(window.trace.rows('response', slow.tool)).toContainText(`${duration}`);

        await slowCalls.click();
        await expect(window.trace.detail).toContainText(`${slow.steps} child rows`);
      });

      await test.step('a call is cancelled, and the server is notified', async () => {
        await tools.call(slow.tool, slow.long);
        await expect(tools.result).toContainText(/[1-9]\d* progress/);
        await tools.result.getByRole('button', { name: 'Cancel' }).click();
        await tools.expectOutcome('cancelled');

        await window.trace.filter('cancelled');
        await expect(window.trace.rows('notifications/cancelled', '→')).toHaveCount(1);
        await window.trace.filter('tools/call');
        await expect(slowCalls).toHaveCount(2);
        await expect(slowCalls.last()).toContainText('cancelled');
        await window.expectPhase('ready');
      });

      await test.step('the whole trace is kept when the server is killed, and says how it ended', async () => {
        await tools.call(slow.tool, slow.long);
        await expect(tools.result).toContainText(/[1-9]\d* progress/);

        process.kill(await window.serverPid(), 'SIGKILL');
        await window.expectPhase('SIGKILL');
        await tools.expectOutcome('no response');
        await expect(tools.result).toContainText('The server ended by SIGKILL.');
        await tools.result.getByRole('button', { name: /^Row #/ }).click();
        await expect(window.trace.detail).toContainText('SIGKILL');
        await window.show('Overview');
        await expect(window.pane('Overview')).toContainText('SIGKILL');
        await expect(window.servers).toContainText('SIGKILL');

        await window.trace.filter('kind:process');
        await expect(window.trace.rows('process', 'SIGKILL')).toHaveCount(1);
        await window.trace.filter('tools/call');
        await expect(slowCalls).toHaveCount(3);
        await expect(slowCalls.last()).toContainText('no response');
        await expect(slowCalls.last()).toContainText('ended by SIGKILL');
        // The first question to every server, and its answer, whichever it was.
        await window.trace.filter('server/discover');
        await expect(window.trace.rows('server/discover', '→')).toBeVisible();
        await expect(window.trace.rows('server/discover', '→')).not.toContainText(/pending|no response/);
      });
    });
  });
}
