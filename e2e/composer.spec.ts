import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEverything } from '#fixtures/http/start-server.ts';
import { startModernServer } from '#fixtures/modern/start.ts';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { ComposerPane } from './composer-pane.ts';
import { connectToUrl } from './http-servers.ts';
import { only } from './hosts/only.ts';
import { InboxPane } from './inbox-pane.ts';
import { everything, typed } from './servers.ts';
import { Window } from './window.ts';

const quoted = (text: string): string => JSON.stringify(text);

for (const transport of ['stdio', 'streamableHttp', 'sse', 'modern'] as const) {
  test(`composes each kind of message over ${transport}, and its bytes are in the trace`, async ({ app }) => {
    const server =
      transport === 'stdio'
        ? null
        : transport === 'modern'
          ? await startModernServer()
          : await startEverything(transport);
    try {
      const window = new Window(await app.open());
      if (server === null) await window.connectTo('everything', typed(everything));
      else await connectToUrl(window, 'server', server.url);
      const composer = new ComposerPane(window);
      await composer.show();
      const method = transport === 'modern' ? 'server/discover' : 'ping';

      await composer.template(method);
      await expect(composer.editor).toBeVisible();
      await expect(composer.send).toHaveText(/^Send Ctrl|^SendCtrl/);
      await composer.send.click();
      const outcome = (text: string) => composer.outcomes.getByRole('listitem').filter({ hasText: text });
      await expect(outcome(method).first()).toContainText('ok');
      await expect(composer.response).toContainText('"result"');

      // A request whose digits, order of keys and unknown member stay as they were typed.
      const precise = `{"method":"tools/list","id":900719925474099312345,"jsonrpc":"2.0","params":{"x":1.50,"_meta":{"b":1e2}}}`;
      if (transport !== 'modern') {
        await composer.write(precise);
        await expect(composer.warnings).toContainText('jsonrpc/id-too-large');
        await composer.send.click();
        await expect(outcome('tools/list').first()).toBeVisible();
        await sentBytes(window, composer, precise);
      }

      await composer.write(
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99999}}`,
      );
      await composer.send.click();
      await expect(outcome('notifications/cancelled').first()).toBeVisible();

      await composer.write(`{"jsonrpc":"2.0","id":"nobody","result":{}}`);
      await expect(composer.warnings).toContainText('jsonrpc/unknown-response-id');
      await expect(composer.send).toContainText('Send anyway');
      await composer.send.click();
      await expect(outcome('response').first()).toContainText('anyway');

      const batch = `[{"jsonrpc":"2.0","id":"b1","method":"ping"},{"jsonrpc":"2.0","id":"b2","method":"ping"}]`;
      await composer.write(batch);
      await expect(composer.warnings).toContainText('jsonrpc/batch-in-unsupported-revision');
      await composer.send.click();
      await expect(outcome('batch of 2').first()).toContainText('anyway');
      await composer.outcomes
        .getByRole('button', { name: /^Row #/ })
        .first()
        .click();
      await window.trace.detail.getByRole('tab', { name: 'Hex' }).click();
      await expect(window.trace.detail).toContainText('5b 7b 22 6a 73 6f 6e 72');

      const malformed = `{"jsonrpc":"2.0","id":77,}`;
      await composer.write(malformed);
      await expect(composer.warnings).toContainText('Not JSON');
      await composer.send.click();
      await expect(outcome('raw bytes').first()).toContainText('anyway');
      await sentBytes(window, composer, malformed);

      await composer.raw();
      await composer.write(String.raw`{"a":"\xff"}`);
      await expect(composer.pane.getByRole('note')).toContainText('9 bytes');
      await composer.send.click();
      await expect(composer.outcomes.getByRole('listitem').filter({ hasText: 'raw bytes' })).toHaveCount(4);
      await window.trace.filter('is:composed');
      await window.trace.table.press('End');
      await window.trace.detail.getByRole('tab', { name: 'Hex' }).click();
      await expect(window.trace.detail).toContainText('7b 22 61 22 3a 22 ff 22');
      await expect(window.trace.detail).toContainText('composed');
    } finally {
      await server?.close();
    }
  });
}

/** Looks at the row of the newest send: the trace has exactly this text. */
async function sentBytes(window: Window, composer: ComposerPane, text: string): Promise<void> {
  await composer.outcomes
    .getByRole('button', { name: /^Row #/ })
    .first()
    .click();
  await window.trace.detail.getByRole('tab', { name: 'Raw' }).click();
  await expect(window.trace.detail.getByRole('tabpanel')).toHaveText(text);
}

test.describe('the composer completes', () => {
  test(
    'a method, the arguments of a tool and their values, prompts and resources',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open());
      await window.connectTo('everything', typed(everything));
      const composer = new ComposerPane(window);
      await composer.show();
      const { keyboard } = window.page;
      const at = async (text: string) => {
        const [before = '', after = ''] = text.split('|');
        await composer.write(before + after);
        for (let step = 0; step < after.length; step++) await keyboard.press('ArrowLeft');
        await keyboard.press('Control+Space');
      };
      const offers = (...labels: readonly string[]) =>
        Promise.all(
          labels.map((label) =>
            expect(composer.suggestions.getByRole('option', { name: new RegExp(`^${label}`) })).toBeVisible(),
          ),
        );

      await at(`{"jsonrpc":"2.0","id":1,"method":"re|"}`);
      await offers('resources/list', 'resources/read');
      await at(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{|}}`);
      await offers('name', 'arguments', '_meta');
      await at(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get-|"}}`);
      await offers('get-sum', 'get-structured-content');
      await at(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get-sum","arguments":{|}}}`);
      await offers('a', 'b');
      const structured = `{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":"get-structured-content","arguments":{"location":"|"}}}`;
      await at(structured);
      await offers('New York', 'Chicago', 'Los Angeles');
      await keyboard.press('ArrowDown');
      await keyboard.press('Enter');
      await expect(composer.pane.getByRole('code')).toContainText(
        /"location":"(New York|Chicago|Los Angeles)"/,
      );
      await expect(composer.warnings).toBeHidden();

      await at(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"|"}}`);
      await offers('simple-prompt', 'completable-prompt');
      await at(
        `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"completable-prompt","arguments":{|}}}`,
      );
      await offers('department', 'name');
      await at(
        `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"completable-prompt","arguments":{"department":"E|"}}}`,
      );
      await offers('Engineering');
      await at(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"|"}}`);
      await offers('demo://resource/static/document/architecture.md');
    },
  );

  test('marks what the input schema forbids, and what nobody would see', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('everything', typed(everything));
    const composer = new ComposerPane(window);
    await composer.show();
    await composer.write(
      `{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":"get-sum","arguments":{"a":${quoted('x')},"b":2}}}`,
    );
    await expect(composer.warnings).toContainText('input schema');
    await expect(composer.pane.locator('.squiggly-warning').first()).toBeVisible();
    await expect(composer.send).toContainText('Send anyway');
    // The editor names what nobody would see, and leaves the text as it is.
    await composer.write(
      `{"jsonrpc":"2.0","id":902,"method":"ping","params":{"a":"x\u2800\ufe0f\u00a0👩‍🚀"}}`,
    );
    await expect(composer.pane.locator('.hidden-character')).toHaveText(['[U+2800]', '[U+FE0F]', '[U+00A0]']);
  });
});

test.describe('a message is sent again', () => {
  test('from a row of the trace, with its keys in order and its digits', async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('everything', typed(everything));
    const composer = new ComposerPane(window);
    await composer.show();
    const sent = `{"params":{"arguments":{"b":2.50,"a":12345678901234567890},"name":"get-sum"},"method":"tools/call","id":901,"jsonrpc":"2.0"}`;
    await composer.write(sent);
    await test.step('with another argument: it has the next id, and the caret stays', async () => {
      const { keyboard } = window.page;
      const said = composer.pane.getByRole('status').filter({ hasText: /^Sent as/ });
      await keyboard.press('ControlOrMeta+Home');
      for (let step = 0; step < sent.indexOf(',"a"'); step++) await keyboard.press('ArrowRight');
      await keyboard.press('ControlOrMeta+Enter');
      await expect(said).toHaveText('Sent as id 901; the next one has id 902.');
      await expect(composer.warnings).toBeHidden();
      await keyboard.type('5');
      await keyboard.press('ControlOrMeta+Enter');
      await expect(said).toHaveText('Sent as id 902; the next one has id 903.');
      await expect(
        composer.outcomes.getByRole('listitem').filter({ hasText: 'id 902' }).last(),
      ).toContainText('ok');
      await expect(composer.outcomes).not.toContainText('anyway');
      await sentBytes(window, composer, sent.replace('"id":901', '"id":902').replace('2.50', '2.505'));
    });
    await test.step('an id that was used is warned of, after an undo and when it is typed', async () => {
      await composer.editor.press('ControlOrMeta+Z');
      await expect(composer.pane.getByRole('code')).toContainText('902');
      await expect(composer.warnings).toContainText('jsonrpc/id-reused');
      await expect(composer.pane.getByRole('status').filter({ hasText: /^Sent as/ })).toBeHidden();
      await composer.write(sent);
      await expect(composer.warnings).toContainText('The id 901 was already used');
      await expect(composer.send).toContainText('Send anyway');
      await composer.warnings.getByRole('button', { name: 'Use a new id' }).click();
      await expect(composer.pane.getByRole('code')).toContainText('904');
      await expect(composer.warnings).toBeHidden();
    });
    await composer.write('{}');

    await window.trace.filter('is:composed');
    await window.trace.rows('tools/call').first().click({ button: 'right' });
    await window.page.getByRole('menuitem', { name: 'Edit and resend' }).click();
    const editor = composer.pane.getByRole('code');
    await expect(editor).toContainText('12345678901234567890');
    // With the next id: those before were used, or were in the editor.
    await expect(editor).toContainText('905');
    await expect(composer.warnings).toBeHidden();
    await composer.send.click();
    await expect(composer.outcomes.getByRole('listitem').filter({ hasText: 'id 905' }).first()).toBeVisible();
    await sentBytes(window, composer, sent.replace('"id":901', '"id":905'));

    await window.trace.detail.getByRole('button', { name: 'Edit and resend' }).click();
    await expect(composer.pane.getByRole('tablist', { name: 'Messages' }).getByRole('tab')).toHaveCount(3);
  });

  test('with the keyboard alone, several in one go, and from a saved file', only.page, async ({ app }) => {
    await mkdir(join(app.home, 'tests'));
    const calls = Array.from(
      { length: 300 },
      (_, at) => `  - { name: Echo ${at}, call: echo, arguments: { message: x } }\n`,
    );
    await writeFile(join(app.home, 'tests/everything.mcptest.yaml'), `version: 1\nsteps:\n${calls.join('')}`);
    const window = new Window(await app.open());
    await window.connectTo('everything', typed(everything));
    const composer = new ComposerPane(window);
    const { keyboard } = window.page;
    await keyboard.press('ControlOrMeta+5');
    await expect(composer.pane.getByRole('button', { name: 'Templates' })).toBeVisible();
    for (const method of ['ping', 'tools/list']) {
      await keyboard.press('ControlOrMeta+Shift+F');
      await expect(window.page.getByRole('searchbox', { name: 'Find a template' })).toBeFocused();
      await keyboard.type(method);
      await keyboard.press('Enter');
      await expect(composer.pane.getByRole('tab', { name: new RegExp(method) })).toBeVisible();
    }
    await expect(composer.editor).toBeVisible();
    await keyboard.press('ControlOrMeta+Shift+Enter');
    await expect(composer.outcomes).toContainText('Send all, 2 messages');
    await expect(composer.outcomes.getByRole('button', { name: /^Row #/ })).toHaveCount(2);

    await window.tabTo(composer.pane.getByRole('button', { name: 'Save', exact: true }));
    await keyboard.press('Enter');
    const form = window.page.getByRole('dialog', { name: 'Save the message' });
    await expect(form.getByRole('textbox', { name: 'Name' })).toHaveValue('tools/list');
    await keyboard.press('Enter');
    await expect(form).toBeHidden();
    const saved = composer.pane.getByRole('region', { name: 'Saved messages' });
    await test.step('300 saved messages do not hide what was sent, and are searched', async () => {
      const history = composer.pane.getByRole('region', { name: 'Message history' });
      await expect(history.getByRole('button', { name: 'tools/list' })).toBeInViewport();
      await expect(saved.getByRole('button', { name: 'Saved 301' })).toBeInViewport();
      await expect(saved.getByRole('button', { name: 'Echo 2', exact: true })).toBeInViewport();
      await window.tabTo(saved.getByRole('button', { name: 'Echo 0', exact: true }));
      await keyboard.press('End');
      await expect(saved.getByRole('button', { name: 'tools/list' })).toBeFocused();
      await keyboard.press('Tab');
      await expect(history.getByRole('button', { name: 'History' })).toBeFocused();
      await keyboard.press('Enter');
      await expect(history.getByRole('list')).toBeHidden();
      await keyboard.press('Enter');
      await expect(history.getByRole('list')).toBeVisible();
      await keyboard.press('Tab');
      await expect(history.getByRole('listitem').first().getByRole('button')).toBeFocused();
      await keyboard.press('ArrowDown');
      await expect(history.getByRole('button', { name: 'ping' })).toBeFocused();
      await keyboard.press('Shift+ArrowUp');
      await expect(history.getByRole('button', { name: 'ping' })).toBeFocused();
      await keyboard.press('Shift+Tab');
      await keyboard.press('Tab');
      await expect(history.getByRole('button', { name: 'ping' })).toBeFocused();
      await window.tabTo(composer.pane.getByRole('searchbox', { name: 'Find a message' }));
      await keyboard.type('tools/list');
      await expect(saved.getByRole('button', { name: 'Saved 1 of 301' })).toBeVisible();
      await expect(history.getByRole('button', { name: 'History 1 of 2' })).toBeVisible();
    });
    await window.tabTo(saved.getByRole('button', { name: 'tools/list' }));
    await keyboard.press('Enter');
    await expect(composer.pane.getByRole('tab', { name: /tools\/list/ })).toHaveCount(2);
    await window.tabTo(composer.editor);
    await keyboard.press('ControlOrMeta+Enter');
    await expect(composer.outcomes.getByRole('button', { name: /^Row #/ })).toHaveCount(3);
  });
});

test('every part of the composer is reached and used by keyboard', only.page, async ({ app }) => {
  const server = await startEverything('streamableHttp');
  try {
    const window = new Window(await app.open());
    await connectToUrl(window, 'server', server.url);
    const composer = new ComposerPane(window);
    const { keyboard } = window.page;
    await keyboard.press('ControlOrMeta+5');
    await expect(composer.pane.getByText('A JSON-RPC message: type it here')).toBeVisible();
    await window.tabTo(composer.editor);
    await keyboard.insertText('{"jsonrpc":"2.0","method":"notifications/nope"}');
    await expect(composer.warnings).toContainText('No revision of MCP has the method');
    // From a warning to its place.
    await window.tabTo(composer.warnings.getByRole('button').first());
    await keyboard.press('Enter');
    await expect(composer.editor).toBeFocused();

    const choose = async (from: string, to: string) => {
      await window.tabTo(composer.pane.getByRole('radio', { name: from, exact: true }));
      const target = composer.pane.getByRole('radio', { name: to, exact: true });
      await keyboard.press('ArrowRight');
      await expect(target).toBeFocused();
      await keyboard.press('Space');
      await expect(target).toBeChecked();
    };
    await choose('Body', 'Headers');
    await window.tabTo(composer.pane.getByRole('button', { name: 'Add a header' }));
    await keyboard.press('Enter');
    await window.tabTo(composer.pane.getByRole('textbox', { name: 'Name of a header' }));
    await keyboard.type('X-Own');
    await keyboard.press('Tab');
    await keyboard.type('yes');
    await window.tabTo(composer.pane.getByRole('radio', { name: /^Headers/ }));
    await keyboard.press('ArrowRight');
    await expect(composer.pane.getByRole('radio', { name: /^Options/ })).toBeFocused();
    await keyboard.press('Space');
    await window.tabTo(composer.pane.getByRole('textbox', { name: 'Timeout' }));
    await keyboard.type('5000');
    await choose('Message', 'Raw bytes');
    await window.tabTo(composer.send);
    await keyboard.press('Enter');

    const sent = composer.outcomes.getByRole('listitem').filter({ hasText: 'notifications/nope' }).first();
    await expect(sent).toContainText('anyway');
    await window.tabTo(sent.getByRole('button', { pressed: true }));
    await window.tabTo(composer.pane.getByRole('tab', { name: 'Response' }));
    await keyboard.press('ArrowRight');
    await expect(composer.pane.getByRole('list', { name: 'Request headers' })).toContainText('X-Own: yes');
    await window.tabTo(composer.pane.getByRole('list', { name: 'History' }).getByRole('button').first());
    await keyboard.press('Enter');
    await expect(composer.pane.getByRole('tablist', { name: 'Messages' }).getByRole('tab')).toHaveCount(2);
    await window.tabTo(sent.getByRole('button', { name: /^Row #/ }));
    await keyboard.press('Enter');
    await expect(window.trace.detail).toContainText('composed');
  } finally {
    await server.close();
  }
});

test('axe finds nothing in the composer', only.web, async ({ app }) => {
  const server = await startEverything('streamableHttp');
  try {
    const window = new Window(await app.open());
    await connectToUrl(window, 'server', server.url);
    const composer = new ComposerPane(window);
    await composer.show();
    await expect(composer.editor).toBeVisible();
    await expect(composer.pane.getByText('A JSON-RPC message: type it here')).toBeVisible();
    expect(await findings(window.page, PANE), 'empty').toEqual([]);
    await composer.template('ping');
    await composer.send.click();
    await expect(composer.outcomes).toContainText('ok');
    await composer.write('{"jsonrpc":"2.0","id":1,"method":"nope"}');
    await expect(composer.warnings).toContainText('No revision of MCP has the method');
    expect(await findings(window.page, PANE), 'warnings and outcomes').toEqual([]);
    await composer.raw();
    await composer.write(String.raw`{"a":"\xff"}`);
    await expect(composer.pane.getByRole('note')).toContainText('9 bytes');
    expect(await findings(window.page, PANE), 'raw bytes').toEqual([]);
    await composer.send.click();
    await expect(
      composer.outcomes.getByRole('listitem').filter({ hasText: 'raw bytes' }).first(),
    ).toBeVisible();
    expect(await findings(window.page, PANE), 'outcome of raw bytes').toEqual([]);
    await composer.pane.getByRole('radio', { name: 'Headers' }).click();
    await composer.pane.getByRole('button', { name: 'Add a header' }).click();
    expect(await findings(window.page, PANE), 'headers').toEqual([]);
    await composer.pane.getByRole('radio', { name: 'Options' }).click();
    expect(await findings(window.page, PANE), 'options').toEqual([]);
  } finally {
    await server.close();
  }
});

for (const transport of ['stdio', 'modern'] as const) {
  test(`a request that runs is cancelled beside its outcome: ${transport}`, only.page, async ({ app }) => {
    const server = transport === 'modern' ? await startModernServer() : null;
    try {
      const window = new Window(await app.open());
      if (server === null) await window.connectTo('everything', typed(everything));
      else await connectToUrl(window, 'server', server.url);
      const composer = new ComposerPane(window);
      await composer.show();
      await composer.template(server === null ? 'trigger-long-running-operation' : 'hang');
      if (server === null) {
        await composer.write(
          '{"jsonrpc":"2.0","id":950,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":60,"steps":2}}}',
        );
      }
      await composer.send.click();
      const call = composer.outcomes.getByRole('listitem').filter({ hasText: 'tools/call' }).first();
      await expect(call).toContainText('waiting');
      await window.tabTo(call.getByRole('button', { name: 'Cancel tools/call' }));
      await window.page.keyboard.press('Enter');
      await expect(call).toContainText('cancelled');
      await expect(call.getByRole('button', { name: 'Cancel tools/call' })).toBeHidden();
      await expect(call.getByRole('button', { pressed: true })).toBeFocused();
      // The modern era over HTTP closes the stream instead (MCP 2026-07-28 cancellation).
      await expect(window.trace.rows('notifications/cancelled')).toHaveCount(server === null ? 1 : 0);
      await composer.template(server === null ? 'ping' : 'server/discover');
      await composer.send.click();
      await expect(
        composer.outcomes
          .getByRole('listitem')
          .filter({ hasText: /ping|server\/discover/ })
          .first(),
      ).toContainText('ok');
      if (server !== null) return;
      // Of a server that died, the outcome says how.
      await composer.write(
        '{"jsonrpc":"2.0","id":960,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":60,"steps":2}}}',
      );
      await composer.send.click();
      await expect(call).toContainText('waiting');
      await expect(composer.response).toContainText('No response so far.');
      process.kill(await window.serverPid(), 'SIGKILL');
      await expect(composer.response).toContainText(/No response: .*SIGKILL/);
    } finally {
      await server?.close();
    }
  });
}

test(
  'a composed response to a request of the server closes its entry in the Inbox',
  only.page,
  async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('everything', typed(everything));
    const composer = new ComposerPane(window);
    const inbox = new InboxPane(window);
    await composer.show();
    await composer.template('trigger-sampling-request');
    await composer.write(
      '{"jsonrpc":"2.0","id":950,"method":"tools/call","params":{"name":"trigger-sampling-request","arguments":{"prompt":"What is a sightglass?"}}}',
    );
    await composer.send.click();
    await expect(inbox.tab).toHaveText('Inbox1');
    await window.trace.rows('sampling/createMessage').click();
    await window.trace.detail.getByRole('tab', { name: 'Raw' }).click();
    const request = await window.trace.detail.getByRole('tabpanel').innerText();
    const id = /"id":\s*(\d+)/.exec(request)?.[1] ?? 'none';
    await composer.write(
      `{"jsonrpc":"2.0","id":${id},"result":{"role":"assistant","content":{"type":"text","text":"a window in a pipe"},"model":"me"}}`,
    );
    await expect(composer.warnings).toBeHidden();
    await composer.send.click();
    await expect(inbox.tab).toHaveText('Inbox');
    const call = composer.outcomes.getByRole('listitem').filter({ hasText: 'tools/call' }).first();
    await expect(call).toContainText('ok');
    await call.getByRole('button', { name: /tools\/call/ }).click();
    await expect(composer.response).toContainText('a window in a pipe');
    await inbox.show();
    await expect(inbox.answer).toContainText('You answered, in row');
  },
);

test('one message goes without a header, and with a timeout of its own', only.page, async ({ app }) => {
  const server = await startEverything('streamableHttp');
  try {
    const window = new Window(await app.open());
    await connectToUrl(window, 'server', server.url);
    const composer = new ComposerPane(window);
    await composer.show();
    await composer.template('ping');
    await composer.pane.getByRole('radio', { name: 'Headers' }).click();
    await composer.pane.getByRole('checkbox', { name: 'Accept', exact: true }).uncheck();
    await composer.pane.getByRole('button', { name: 'Add a header' }).click();
    await composer.pane.getByRole('textbox', { name: 'Name of a header' }).fill('X-Own');
    await composer.pane.getByRole('textbox', { name: 'Value of X-Own' }).fill('yes');
    await composer.send.click();
    // The server demands the header.
    await expect(composer.outcomes.getByRole('listitem').filter({ hasText: 'ping' }).first()).toContainText(
      '406',
    );
    await composer.pane.getByRole('tab', { name: 'Headers' }).click();
    const sent = composer.pane.getByRole('list', { name: 'Request headers' });
    await expect(sent).toContainText('X-Own: yes');
    await expect(sent).not.toContainText('Accept:');

    await composer.pane.getByRole('checkbox', { name: 'Accept', exact: true }).check();
    await composer.pane.getByRole('radio', { name: 'Body' }).click();
    await composer.write(
      '{"jsonrpc":"2.0","id":950,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":60,"steps":2}}}',
    );
    await composer.pane.getByRole('radio', { name: 'Options' }).click();
    await composer.pane.getByRole('textbox', { name: 'Timeout' }).fill('300');
    await composer.send.click();
    const call = composer.outcomes.getByRole('listitem').filter({ hasText: 'tools/call' }).first();
    await expect(call).toContainText('cancelled');
    await expect(window.trace.rows('notifications/cancelled')).toHaveCount(1);
  } finally {
    await server.close();
  }
});
