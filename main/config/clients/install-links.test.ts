import { describe, expect, test } from 'vitest';
import { readConfiguration } from './read-configuration.ts';

describe('the links of a page that install a server', () => {
  const config = Buffer.from('{"command":"npx","args":["-y","fs-mcp"]}').toString('base64');
  const cursor = `cursor://anysphere.cursor-deeplink/mcp/install?name=fs&config=${config}`;
  const vscode = `vscode:mcp/install?${encodeURIComponent('{"name":"fs","command":"npx","args":["-y","fs-mcp"]}')}`;

  test.each([
    ['a badge', `[![Install](https://x.example/a.svg)](${cursor})`],
    ['a link in a sentence', `# Files\n\nInstall it: [Cursor](${cursor}) and restart.`],
    ['a link of HTML', `<p><a href="${vscode}"><img src="a.svg"></a></p>`],
  ])('are read: %s', (_, text) => {
    const { servers, problems } = readConfiguration(text);
    expect(servers.map(({ settings }) => settings)).toMatchObject([
      { name: 'fs', transport: { command: 'npx', args: ['-y', 'fs-mcp'] } },
    ]);
    expect(problems).toEqual([]);
  });

  test('are read once, and the others are named with their lines', () => {
    const { servers, problems } = readConfiguration(`# Files\n\n[Cursor](${cursor})\n[VS Code](${vscode})\n`);
    expect([servers.length, servers[0]?.line]).toEqual([1, 3]);
    expect(problems).toMatchObject([{ line: 4, what: expect.stringMatching(/1 other, in line 4/) }]);
  });
});
