import { describe, expect, test } from 'vitest';
import { benchForAllTests } from '#fixtures/protocol/real-bench.ts';
import { everythingSupports } from '#fixtures/protocol/real-support.ts';

const text = 'demo://resource/dynamic/text/1';

describe.each(everythingSupports)('server-everything, $revision over $transport', (support) => {
  const shared = benchForAllTests(support);

  test.each<[tool: string, args: object, parts: string[]]>([
    ['echo', { message: 'h\u00e9llo' }, ['"type":"text"', 'Echo: h\u00e9llo']],
    ['get-tiny-image', {}, ['"type":"image"', '"mimeType":"image/png"']],
    [
      'get-annotated-message',
      { messageType: 'error' },
      ['"annotations":{"audience":["user","assistant"],"priority":1}'],
    ],
    ['get-resource-links', { count: 2 }, ['"type":"resource_link"', text.replace('/1', '/2')]],
    ['get-resource-reference', { resourceType: 'Blob' }, ['"type":"resource"', '"blob":"']],
  ])('a result comes back as it was written: %s', async (tool, args, parts) => {
    const result = await shared.bench.call(tool, args);
    for (const part of parts) expect(result).toContain(part);
  });

  test('arguments and structured content are validated by the schemas of the tool, and are sent anyway', async () => {
    const { bench } = shared;
    const good = await bench.ended(await bench.start('get-structured-content', { location: 'Chicago' }));
    expect(good).toMatchObject({
      state: 'ok',
      argumentsValidation: { state: 'valid' },
      outputValidation: { state: 'valid' },
    });
    expect(await bench.resultOf(good)).toContain('"structuredContent":{"temperature":36');
    const bad = await bench.ended(await bench.start('get-structured-content', { location: 'Bern' }));
    expect(bad).toMatchObject({
      state: 'tool-error',
      argumentsValidation: { state: 'invalid', errors: [{ pointer: '/location' }] },
    });
    expect(await bench.textOf(bad.requestRow ?? -1)).toContain('"arguments":{"location":"Bern"}');
  });

  test('arguments and _meta are sent as they were written', async () => {
    const { bench } = shared;
    const { engine, sessionId } = bench;
    const call = await engine.startTool(sessionId, 'get-sum', '{"b": 1e2, "a": 12345678901234567890}', {
      meta: '{"com.example/trace": "abc"}',
    });
    expect((await bench.ended(call)).state).toBe('ok');
    const sent = await bench.textOf(call.requestRow);
    expect(sent).toContain('{"b": 1e2, "a": 12345678901234567890}');
    expect(sent).toMatch(/"com\.example\/trace": ?"abc"/);
  });

  test('resources are read, of templates too, as text and as bytes', async () => {
    const { bench } = shared;
    const document = await bench.request('resources/read', {
      uri: 'demo://resource/static/document/features.md',
    });
    expect(document).toContain('"mimeType":"text/markdown","text":"');
    expect(await bench.request('resources/read', { uri: text })).toContain('Resource 1: ');
    const blob = await bench.request('resources/read', { uri: text.replace('text', 'blob') });
    expect(blob).toContain('"blob":"');
  });

  test('a resource that is created in the session is notified, listed and read', async () => {
    const { bench } = shared;
    const { engine, sessionId } = bench;
    const uri = 'demo://resource/session/made.gz';
    const link = await bench.call('gzip-file-as-resource', {
      name: 'made.gz',
      data: 'data:text/plain,glass',
    });
    expect(link).toContain(uri);
    await engine.until(async () => {
      const { entries } = await engine.call('catalog/resources', { sessionId });
      return entries.some((entry) => entry.usable && entry.resource.uri === uri) ? true : null;
    });
    expect(await bench.request('resources/read', { uri })).toContain('"mimeType":"application/gzip"');
  });

  test('a prompt is had with its arguments, and with a resource in it', async () => {
    const { bench } = shared;
    const plain = await bench.request('prompts/get', {
      name: 'args-prompt',
      arguments: { city: 'Bern', state: 'BE' },
    });
    expect(plain).toContain('in Bern, BE?');
    const embedded = await bench.request('prompts/get', {
      name: 'resource-prompt',
      arguments: { resourceType: 'Text', resourceId: '7' },
    });
    expect(embedded).toContain('"type":"resource","resource":{"uri":"demo://resource/dynamic/text/7"');
  });

  test('values complete, by what was chosen before and for a template', async () => {
    const { bench } = shared;
    const ref = { type: 'ref/prompt', name: 'completable-prompt' };
    const argument = { name: 'name', value: '' };
    const context = { arguments: { department: 'Sales' } };
    expect(await bench.request('completion/complete', { ref, argument, context })).toContain(
      '["David","Eve","Frank"]',
    );
    expect(await bench.request('completion/complete', { ref, argument })).toContain('"values":[]');
    const template = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' };
    const ofTemplate = { ref: template, argument: { name: 'resourceId', value: '12' } };
    expect(await bench.request('completion/complete', ofTemplate)).toContain('"values":["12"]');
  });

  test('a method that the server does not know is sent, and refused', async () => {
    const { bench } = shared;
    const { engine, sessionId } = bench;
    const call = await engine.call('calls/request', {
      sessionId,
      method: 'coffee/brew',
      params: '{"cups":2}',
      timeout: null,
    });
    expect(await bench.ended(call)).toMatchObject({ state: 'protocol-error', error: { code: -32601 } });
  });

  test('a subscription counts the updates of its resource until it is ended', async () => {
    const { bench } = shared;
    const { engine, sessionId } = bench;
    const { id } = await engine.call('subscriptions/subscribe', { sessionId, uri: text });
    await bench.call('toggle-subscriber-updates');
    const reported = await bench.subscription(id, ({ notifications }) => notifications > 0);
    expect(reported).toMatchObject({
      kind: 'resource',
      state: 'active',
      requested: { resourceSubscriptions: [text] },
    });
    await bench.call('toggle-subscriber-updates');
    await engine.call('subscriptions/end', { sessionId, id });
    expect(await bench.subscription(id, ({ state }) => state === 'ended')).toMatchObject({ fault: null });
    const { notifications } = await bench.subscription(id, () => true);
    await bench.call('toggle-subscriber-updates');
    await bench.call('toggle-subscriber-updates');
    expect(await bench.subscription(id, () => true)).toMatchObject({ notifications });
  });

  test('the log level is that of the session', async () => {
    const { bench } = shared;
    const { engine, sessionId } = bench;
    // It logs what is subscribed to.
    const subscribe = (uri: string) => engine.call('subscriptions/subscribe', { sessionId, uri });
    const said = async (uri: string) =>
      (await bench.notices('notifications/message')).some(({ summary }) => summary.includes(uri));
    await engine.call('sessions/set-log-level', { sessionId, level: 'error' });
    expect((await engine.session(sessionId)).logLevel).toBe('error');
    await subscribe(`${text}001`);
    await engine.call('sessions/set-log-level', { sessionId, level: 'debug' });
    await subscribe(`${text}002`);
    await engine.until(async () => ((await said(`${text}002`)) ? true : null));
    expect(await said(`${text}001`)).toBe(false);
  });
});
