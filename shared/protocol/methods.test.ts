import { describe, expect, test } from 'vitest';
import { existsIn, type Gate, gateOf, isDeclared, methodFacts, methodIn, methods } from './methods.ts';
import { revisionAtLeast, revisions } from './revisions.ts';

const everyRevision = revisions.map(({ id }) => id);

/**
 * Which side may send it, revision by revision: `c` the client, `s` the server, `b` both, `e` only embedded,
 * `-` nobody.
 */
const table: readonly (readonly [method: string, senders: string])[] = [
  ['initialize', 'cccc-'],
  ['server/discover', '----c'],
  ['ping', 'bbbb-'],
  ['tools/list', 'ccccc'],
  ['tools/call', 'ccccc'],
  ['resources/list', 'ccccc'],
  ['resources/templates/list', 'ccccc'],
  ['resources/read', 'ccccc'],
  ['resources/subscribe', 'cccc-'],
  ['resources/unsubscribe', 'cccc-'],
  ['subscriptions/listen', '----c'],
  ['prompts/list', 'ccccc'],
  ['prompts/get', 'ccccc'],
  ['completion/complete', 'ccccc'],
  ['logging/setLevel', 'cccc-'],
  ['tasks/get', '---bc'],
  ['tasks/result', '---b-'],
  ['tasks/list', '---b-'],
  ['tasks/cancel', '---bc'],
  ['tasks/update', '----c'],
  ['roots/list', 'sssse'],
  ['sampling/createMessage', 'sssse'],
  ['elicitation/create', '--sse'],
  ['notifications/initialized', 'cccc-'],
  ['notifications/cancelled', 'bbbbb'],
  ['notifications/progress', 'bbbbs'],
  ['notifications/roots/list_changed', 'cccc-'],
  ['notifications/message', 'sssss'],
  ['notifications/tools/list_changed', 'sssss'],
  ['notifications/prompts/list_changed', 'sssss'],
  ['notifications/resources/list_changed', 'sssss'],
  ['notifications/resources/updated', 'sssss'],
  ['notifications/elicitation/complete', '---s-'],
  ['notifications/tasks/status', '---b-'],
  ['notifications/subscriptions/acknowledged', '----s'],
  ['notifications/tasks', '----s'],
];

describe('the table of methods', () => {
  test('names each method once and no other', () => {
    expect(methods.map(({ method }) => method)).toEqual(table.map(([method]) => method));
  });

  test.each(table)('%s may be sent by %s', (method, senders) => {
    for (const [index, revision] of everyRevision.entries()) {
      const who = senders[index];
      expect(existsIn(method, revision, 'client'), `client ${revision}`).toBe(who === 'c' || who === 'b');
      expect(existsIn(method, revision, 'server'), `server ${revision}`).toBe(who === 's' || who === 'b');
      expect(methodIn(method, revision) === null, revision).toBe(who === '-');
      expect(methodIn(method, revision)?.onlyEmbedded ?? false, revision).toBe(who === 'e');
    }
  });

  test.each(methods)(
    '$method has availabilities that follow each other',
    ({ method, kind, availability }) => {
      expect(kind).toBe(method.startsWith('notifications/') ? 'notification' : 'request');
      for (const [index, available] of availability.entries()) {
        const before = availability[index - 1];
        if (before !== undefined) expect(revisionAtLeast(available.since, before.until!)).toBe(true);
        if (available.until !== undefined)
          expect(revisionAtLeast(available.since, available.until)).toBe(false);
      }
    },
  );

  test('knows nothing of other methods and other revisions', () => {
    for (const method of ['constructor', 'tools/List', '', 'notifications/logging/message']) {
      expect(methodFacts(method)).toBe(null);
      expect(existsIn(method, '2025-06-18', 'client')).toBe(false);
    }
    expect(existsIn('tools/list', '1999-01-01', 'client')).toBe(false);
    expect(gateOf('tools/list', '1999-01-01')).toBe(null);
    expect(methodFacts('tools/list')?.kind).toBe('request');
  });
});

describe('a gate', () => {
  const tasksId = 'io.modelcontextprotocol/tasks';

  test.each<[string, string, Gate['declaredBy'] | null, string[]]>([
    ['initialize', '2025-06-18', null, []],
    ['tools/call', '2024-11-05', 'receiver', ['tools']],
    ['completion/complete', '2024-11-05', null, []],
    ['completion/complete', '2025-03-26', 'receiver', ['completions']],
    ['resources/subscribe', '2025-06-18', 'receiver', ['resources', 'subscribe']],
    ['resources/subscribe', '2026-07-28', null, []],
    ['tasks/list', '2025-11-25', 'receiver', ['tasks', 'list']],
    ['tasks/get', '2025-11-25', 'receiver', ['tasks']],
    ['tasks/get', '2026-07-28', 'receiver', ['extensions', tasksId]],
    ['roots/list', '2026-07-28', 'receiver', ['roots']],
    ['notifications/message', '2025-06-18', 'sender', ['logging']],
    ['notifications/roots/list_changed', '2025-06-18', 'sender', ['roots', 'listChanged']],
    ['notifications/elicitation/complete', '2025-11-25', 'receiver', ['elicitation', 'url']],
    ['notifications/tasks', '2026-07-28', 'sender', ['extensions', tasksId]],
  ])('of %s in %s is announced by the %s', (method, revision, declaredBy, path) => {
    expect(gateOf(method, revision)).toEqual(declaredBy === null ? null : { declaredBy, path });
  });

  test('of a part is there from the revision that brought it', () => {
    const parts = (method: string, revision: string) =>
      (methodIn(method, revision)?.parts ?? []).map(
        ({ pointer, gate }) => `${pointer} ${gate.path.join('.')}`,
      );
    expect(parts('sampling/createMessage', '2025-06-18')).toEqual([]);
    expect(parts('sampling/createMessage', '2025-11-25')).toContain('/tools sampling.tools');
    expect(parts('tools/call', '2025-11-25')).toEqual(['/task tasks.requests.tools.call']);
    expect(parts('tools/call', '2026-07-28')).toEqual([]);
    expect(parts('elicitation/create', '2026-07-28')).toContain('/mode elicitation.url');
    expect(parts('subscriptions/listen', '2026-07-28')).toHaveLength(5);
  });

  test.each<[unknown, string, boolean]>([
    [{ tools: {} }, 'tools', true],
    [{ tools: {} }, 'tools.listChanged', false],
    [{ tools: { listChanged: false } }, 'tools.listChanged', false],
    [{ tools: { listChanged: true } }, 'tools.listChanged', true],
    [{ tools: null }, 'tools', false],
    [{ elicitation: {} }, 'elicitation.form', true],
    [{ elicitation: {} }, 'elicitation.url', false],
    [{ elicitation: { url: {} } }, 'elicitation.form', false],
    [{ elicitation: { url: {} } }, 'elicitation.url', true],
    [{}, 'toString', false],
    [undefined, 'tools', false],
    ['tools', 'length', false],
  ])('%j announces %s: %s', (capabilities, path, declared) => {
    expect(isDeclared(capabilities, path.split('.'))).toBe(declared);
  });
});
