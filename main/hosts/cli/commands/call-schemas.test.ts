import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { misbehaving } from '#fixtures/cli/servers.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

/** A server that has these tools, and answers a call with its arguments as it read them. */
function serverWith(tools: readonly object[]): string[] {
  const script = `
    const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
      if (method === 'tools/list') answer(id, { tools: ${JSON.stringify(tools)} });
      if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] });
    });`;
  return [process.execPath, '-e', script];
}

const count = { properties: { count: { type: 'integer' } } };
const named = { properties: { name: { type: 'string' } }, required: ['name'] };
const tools: Readonly<Record<string, object>> = {
  any: { type: 'object', anyOf: [count, named] },
  one: { type: 'object', oneOf: [{ ...count, required: ['count'] }, named] },
  all: { type: 'object', allOf: [{ ...count, required: ['count'] }, named] },
  ref: { type: 'object', $ref: '#/$defs/in', $defs: { in: count } },
  id: { type: 'object', $ref: 'in', $defs: { in: { $id: 'in', ...count } } },
  pattern: { type: 'object', patternProperties: { '^c': { type: 'integer' } } },
  rest: { type: 'object', additionalProperties: { type: 'integer' } },
  condition: { type: 'object', ...named, if: { properties: { name: { const: 'a' } } }, then: count },
  // No revision allows it, but generators write it.
  untyped: { anyOf: [count, named] },
};
const server = serverWith(Object.entries(tools).map(([name, inputSchema]) => ({ name, inputSchema })));
const legacy = ['--era', 'legacy'];

test('arguments are listed wherever the schema describes them', async () => {
  const { stdout } = await cli.run(['list', 'tools', ...legacy], server);
  expect(stdout.split('\n')).toEqual([
    'any [count=<integer>] [name=<string>]',
    'one [count=<integer>] [name=<string>]',
    'all count=<integer> name=<string>',
    'ref [count=<integer>]',
    'id [count=<integer>]',
    'pattern [/^c/=<integer>]',
    'rest [*=<integer>]',
    'condition name=<string> [count=<integer>]',
    'untyped',
    '    bad: inputSchema.type must be "object", it is missing',
    '',
  ]);
});

test.each(Object.keys(tools))('arguments are typed wherever the schema describes them: %s', async (tool) => {
  const { stdout, stderr } = await cli.run(['call', tool, 'count=3', 'name=a', ...legacy], server);
  const sent =
    tool === 'pattern' ? '{"count":3,"name":"a"}' : tool === 'rest' ? null : '{"count":3,"name":"a"}';
  if (sent === null) expect(stderr).toContain('the tool wants "name" as integer');
  else expect(stdout).toBe(`${sent}\n`);
});

describe('a schema that cannot be used', () => {
  const unusable = misbehaving('unusable-schemas');

  test.each([
    [
      'python_pattern',
      'arguments against the input schema',
      'because of /properties/message/pattern. The pattern "(?P<id>',
    ],
    [
      'dangling',
      'arguments against the input schema',
      'because of /properties/message/$ref. It refers to #/$defs/none',
    ],
    [
      'elsewhere',
      'arguments against the input schema',
      'because of /$ref. It refers to https://schemas.example/tool.json',
    ],
    [
      'own_dialect',
      'arguments against the input schema',
      'a dialect that is not known here: https://schemas.example',
    ],
    [
      'bad_output',
      'structured content against the output schema',
      'because of /properties/n/type. "type" must be one of',
    ],
  ])('of %s: call says that nothing was validated, and why', async (tool, what, why) => {
    for (const json of [[], ['--json']]) {
      const { stderr } = await cli.run(['call', tool, 'message=hi', ...json], unusable);
      expect(stderr).toContain(`not validated: the ${what} of the tool: `);
      expect(stderr).toContain(why);
    }
  });

  test('is said by list for its tool, and as a finding', async () => {
    const { stdout } = await cli.run(['list', 'tools', '--findings'], unusable);
    expect(stdout).toContain(
      'dangling [message=<any>]\n    not validated: inputSchema/properties/message/$ref: It refers to #/$defs/none, which is not in it; nothing is fetched\n',
    );
    expect(stdout).toMatch(
      /\n\n5 findings:\n {4}error tools\/input-schema-invalid-json-schema #\d+ \/result\/tools\/1\//,
    );
    const { stdout: json } = await cli.run(['list', 'tools', '--json'], unusable);
    const list = JSON.parse(json) as { findings: { rule: string }[]; tools: { notValidated?: object[] }[] };
    expect(list.tools[0]).not.toHaveProperty('notValidated');
    expect(list.tools[3]?.notValidated).toMatchObject([
      { schema: 'outputSchema', pointer: '/properties/n/type' },
    ]);
    expect(list.findings.map(({ rule }) => rule)).toContain('tools/schema-not-validated');
  });
});

test('what is not base64 is said to be so by call, without a size', async () => {
  const { stdout } = await cli.run(['call', 'pictures'], misbehaving('invalid-base64'));
  expect(stdout.split('\n').map((line) => /\d+ B|not base64/.exec(line)?.[0])).toEqual([
    '8 B',
    ...Array.from({ length: 4 }, () => 'not base64'),
    undefined,
  ]);
});
