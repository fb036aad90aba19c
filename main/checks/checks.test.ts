import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { methods } from '#shared/protocol/methods.ts';
import { revisions } from '#shared/protocol/revisions.ts';
import { Checks } from './checks.ts';
import { Conversation, modernMeta } from '#fixtures/trace/conversation.ts';

let said: Conversation;
beforeEach(async () => {
  said = await Conversation.begin();
});
afterEach(() => said.close());

const names = methods.map(({ method }) => method);

/** Something that looks like a message, or does not. */
const unit = fc.oneof(
  fc.record({
    jsonrpc: fc.constantFrom('2.0', '1.0'),
    id: fc.option(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.jsonValue({ maxDepth: 1 })), {
      nil: undefined,
    }),
    method: fc.option(fc.constantFrom(...names, 'acme/own'), { nil: undefined }),
    params: fc.option(fc.oneof(fc.object({ maxDepth: 3 }), fc.jsonValue()), { nil: undefined }),
    result: fc.option(fc.oneof(fc.object({ maxDepth: 3 }), fc.jsonValue()), { nil: undefined }),
    error: fc.option(fc.jsonValue(), { nil: undefined }),
  }),
  fc.jsonValue(),
);

test('no check breaks on whatever both sides say', () => {
  let revision = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), unit), { maxLength: 8 }), (units) => {
      const { id, era } = revisions[revision++ % revisions.length] ?? revisions[0];
      if (era === 'legacy') said.initialize(id);
      else said.client({ id: 3, method: 'tools/list', params: { _meta: modernMeta() } });
      for (const [isOurs, value] of units) {
        const text = JSON.stringify(value) ?? '';
        if (isOurs) said.client(text);
        else said.server(text);
      }
    }),
    { numRuns: 300 },
  );
  expect(said.rules.length).toBeGreaterThan(100);
  expect(said.rules).not.toContain('check/failed');
});

test('a check that breaks is told as our fault, and ends nothing', () => {
  said.initialize();
  const { columns } = said.recording.trace.index;
  const recorded = said.recording.recorded.at(-1);
  if (recorded === undefined) throw new Error('a message was not seen');
  const breaking = Object.defineProperty({ ...recorded }, 'envelope', {
    get: () => {
      throw new Error('out of order');
    },
  });
  expect(new Checks(columns).messages([breaking])).toMatchObject([
    {
      row: recorded.row,
      violation: { rule: 'check/failed', text: 'A check of Sightglass broke: out of order' },
    },
  ]);
});
