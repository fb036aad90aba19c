import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readConfiguration } from './read-configuration.ts';

const secret = 'sk-test-0123456789';

/** The names and targets of the servers in a text. */
const serversIn = (text: string, path: string | null = null) =>
  readConfiguration(text, { path }).servers.map(({ settings: { name, transport } }) => [
    name,
    transport.kind === 'stdio' ? [transport.command, ...transport.args].join(' ') : transport.url,
  ]);

const problemsIn = (text: string, path: string | null = null) =>
  readConfiguration(text, { path }).problems.map(({ what }) => what);

const fs = [['fs', 'npx -y fs-mcp']];

describe('a part of a configuration as READMEs print it', () => {
  const entry = '"fs": { "command": "npx", "args": ["-y", "fs-mcp"] }';

  test.each([
    ['the container without the braces around it', `"mcpServers": {\n  ${entry}\n}`],
    ['the container of VS Code', `"servers": { ${entry} }`],
    ['the container of Zed', `"context_servers": { ${entry} }`],
    ['an entry alone', entry],
    ['an entry with the comma after it', `${entry},\n`],
    ['an entry with a brace too many', `${entry}\n}\n}`],
    ['an object with the comma after it', `{ "mcpServers": { ${entry} } },`],
    ['comments of shells', `# my servers\n{ "mcpServers": { # one\n ${entry} } }\n# end`],
    ['comments of shells before a part', `# my servers\n"mcpServers": { ${entry} }`],
    ['the name of the file as a comment', `// .cursor/mcp.json\n{ "mcpServers": { ${entry} } }`],
    ['trailing commas', `{ "mcpServers": { ${entry}, }, }`],
    ['a byte order mark and CRLF', `\ufeff{\r\n"mcpServers": {\r\n${entry}\r\n}\r\n}\r\n`],
    ['spaces without a width', `\u200b{ "mcpServers":\u00a0{ ${entry} } }\u200b`],
    [
      'sentences around it',
      `Add this to your settings:\n\n{ "mcpServers": { ${entry} } }\n\nThen restart the client.`,
    ],
    ['a file name before it', `claude_desktop_config.json\n{ "mcpServers": { ${entry} } }`],
    [
      'a code block of a page',
      `# FS\n\nAdd this:\n\n\`\`\`json\n{ "mcpServers": { ${entry} } }\n\`\`\`\n\nand restart.`,
    ],
    ['a code block with a part', `Add:\n\n~~~jsonc\n"mcpServers": { ${entry} }\n~~~`],
    ['a code block in a list', `1. Add this:\n\n   \`\`\`json\n   { "mcpServers": { ${entry} } }\n   \`\`\``],
    ['a code block that is cut off', `\`\`\`json\n{ "mcpServers": { ${entry} } }`],
    ['a heredoc of a shell', `cat > mcp.json <<'EOF'\n{ "mcpServers": { ${entry} } }\nEOF`],
  ])('is read with %s', (_, text) => {
    expect(serversIn(text)).toEqual(fs);
    expect(problemsIn(text)).toEqual([]);
  });

  test.each([
    [
      'typographic quotation marks',
      entry.replaceAll(/"([^"]*)"/g, '\u201c$1\u201d'),
      /quotation marks of JSON/,
    ],
    ['single quotation marks', entry.replaceAll('"', "'"), /quotation marks of JSON/],
    ['keys without quotation marks', 'fs: { command: "npx", args: ["-y", "fs-mcp"] }', /no quotation marks/],
    ['"..." for other servers', `"mcpServers": { ${entry}, ... }`, /"\.\.\." stands for something/],
    [
      '"..." for other members',
      `"mcpServers": { "fs": { "command": "npx", "args": ["-y", "fs-mcp"], "env": {...} } }`,
      /"\.\.\."/,
    ],
    ['"…" and a word', `{ "mcpServers": { … your servers,\n ${entry} } }`, /"\.\.\."/],
  ])('is read with %s, which is said', (_, text, what) => {
    expect(serversIn(text)).toEqual(fs);
    expect(problemsIn(text)).toEqual([expect.stringMatching(what)]);
  });

  test.each([
    [
      'the path of its project before it',
      `"/home/ada/x": { "allowedTools": [], "mcpServers": { ${entry} } },`,
    ],
    ['the marks of code around it', `\`{ "mcpServers": { ${entry} } }\``],
  ])('is read with %s', (_, text) => {
    expect(serversIn(text)).toEqual(fs);
  });

  test.each([
    [
      'is cut off',
      `{ "mcpServers": { ${entry}, "cut": { "command": "node", "args": ["x"`,
      'cut',
      /is missing here/,
    ],
    [
      'has an error',
      `{ "mcpServers": { ${entry}, "bad": { "command": "node", "args": ["x" "y"] } } }`,
      'bad',
      /"," is missing/,
    ],
    [
      'is a template',
      `{ "mcpServers": { ${entry}, "bad": { "command": "VALUE", "args": [ VALUES ], ... } } }`,
      'bad',
      /not a JSON value/,
    ],
  ])('has no server whose entry %s', (_, text, name, what) => {
    expect(serversIn(text)).toEqual(fs);
    expect(readConfiguration(text).problems).toMatchObject([
      { server: name, what: expect.stringMatching(what) },
    ]);
  });

  test('with another object after it is no server without a name', () => {
    expect(serversIn('// wrong\n{ "command": "x" }\n// right\n{ "command": "x", "args": ["y"] }')).toEqual(
      [],
    );
  });

  test('is read with the single backslashes of a Windows path, which is said', () => {
    const text = String.raw`{ "mcpServers": { "a": { "command": "C:\temp\new.exe", "args": ["D:\x\y", "a\tb"] } } }`;
    expect(text).toContain(String.raw`"C:\temp\new.exe"`);
    expect(serversIn(text)).toEqual([['a', String.raw`C:\temp\new.exe D:\x\y a` + '\tb']]);
    expect(problemsIn(text)).toEqual([expect.stringMatching(/single backslashes/)]);
  });

  test('keeps its places', () => {
    const text = `Add:\n\n\`\`\`json\n"mcpServers": {\n  "fs": { "url": "ftp://x" }\n}\n\`\`\``;
    expect(readConfiguration(text).problems).toMatchObject([{ line: 5, column: 18, server: 'fs' }]);
    expect(readConfiguration(`x\n\n{\n${entry} }`).servers).toMatchObject([{ line: 4 }]);
  });

  test('of several code blocks is the configuration, and the others are named', () => {
    const text = `\`\`\`bash\nnpm install fs-mcp\n\`\`\`\n\n\`\`\`bash\nnpx fs-mcp\n\`\`\`\n\n\`\`\`json\n{ ${entry} }\n\`\`\`\n\n\`\`\`json\n{ "servers": { ${entry} } }\n\`\`\``;
    expect(serversIn(text)).toEqual(fs);
    expect(problemsIn(text)).toEqual([expect.stringMatching(/2 other code blocks, in line 6, 14/)]);
  });

  test('of a page whose code block has a mistake is that mistake', () => {
    const { servers, problems } = readConfiguration(
      'Add:\n\n```json\n{ "mcpServers": {\n  "fs": { "command" "npx" } } }\n```',
    );
    expect(servers).toEqual([]);
    expect(problems).toMatchObject([{ line: 5, server: 'fs', what: 'A ":" is missing after the key.' }]);
  });
});

describe('a text that has no servers for us', () => {
  test.each([
    ['a script', '#!/bin/bash\nset -e\nnpx -y fs-mcp\n', /This is a script/],
    ['a script without its first line', 'if [ -z "$KEY" ]; then\n  exit 1\nfi\nnpx x', /This is a script/],
    ['HTML', '<!DOCTYPE html>\n<html><body>npx x</body></html>', /This is HTML/],
    [
      'a plist',
      '<?xml version="1.0"?>\n<!DOCTYPE plist PUBLIC "x">\n<plist><dict/></plist>',
      /property list/,
    ],
    ['XML', '<application><component name="McpServers"/></application>', /This is XML/],
    ['variables', `API_KEY=${secret}\nOTHER=1\n`, /environment variables/],
    ['exported variables', `export API_KEY=${secret}\nexport OTHER="a b"\n`, /environment variables/],
    [
      'a package.json',
      `{"name": "x", "version": "1.0.0", "bugs": {"url": "https://x.example"}, "scripts": {"start": "node x"}}`,
      /This is a package\.json/,
    ],
    [
      'a description of a package',
      '{"name": "x", "version": "1", "author": {"url": "https://x.example"}}',
      /describes a package/,
    ],
    ['a tsconfig.json', '{ "compilerOptions": { "strict": true } }', /tsconfig/],
    [
      'an OpenAPI description',
      '{"openapi": "3.1.0", "info": {}, "paths": {}, "servers": [{"url": "https://x.example"}]}',
      /OpenAPI/,
    ],
    ['a message', '{"jsonrpc": "2.0", "id": 1, "method": "ping"}', /JSON-RPC/],
    ['a docker-compose file', 'services:\n  mcp:\n    image: x\n    command: npx x\n', /docker-compose/],
    [
      'lines with colons',
      'Error: spawn npx ENOENT\nCause: x\n',
      /no servers in this text, which looks like YAML/,
    ],
    ['other TOML', 'model = "m"\n', /no servers in this text, which looks like TOML/],
    ['TypeScript', 'import { McpServer } from "x";\nconst server = new McpServer();\n', /code of a program/],
    ['Python', 'from mcp import FastMCP\n\nmcp = FastMCP("x")\n', /code of a program/],
    ['a batch file', '@echo off\r\nnode server.js\r\n', /batch file/],
    ['a script of PowerShell', 'param (\n  [string]$Name\n)\nnode server.js', /script of PowerShell/],
    ['an INI file', `[Desktop Entry]\nExec=npx x\nKey=${secret}\n`, /This is an INI file/],
    ['another INI file', `[Unit]\nDescription=x\n[Service]\nExecStart=npx x\n`, /This is an INI file/],
    ['a function of a shell', 'function serve {\n  npx x\n}\n', /This is a script/],
    ['escaped HTML', '&quot;mcpServers&quot;: {}', /part of HTML/],
    ['a session of Python', '>>> import mcp\n', /code of a program/],
    ['a Dockerfile', 'FROM node:22\nCOPY . .\nCMD ["node", "x.js"]\n', /Dockerfile/],
    [
      'a page',
      '# My server\n\nIt lists files. See [the docs](https://x.example) for more.\n',
      /page of text/,
    ],
    ['a sentence', 'Add this server to your client and restart it.', /This is a sentence/],
    ['another sentence', 'run the following command to start the server', /This is a sentence/],
    ['a German sentence', 'Starten Sie danach die Anwendung neu.', /This is a sentence/],
    ['a token', `sk-proj-${'a1'.repeat(20)}`, /a key or a token/],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----', /certificate/],
    ['a patch', 'diff --git a/x b/x\n--- a/x\n+++ b/x\n', /patch/],
    ['a log', '2026-11-28T01:02:03Z [fs] starting npx\n', /a log/],
    ['an address without http', 'localhost:3000/mcp', /looks like an address/],
    ['an address with more text', 'https://x.example/mcp (Streamable HTTP)', /address with other text/],
    ['an address of another kind', 'wss://x.example/mcp', /address of a kind that no MCP server has/],
    ['a package', '@modelcontextprotocol/server-everything', /name of a package/],
    ['a file name', '~/.cursor/mcp.json', /name of a file/],
    ['NUL characters', '{\0"\0m\0', /UTF-16/],
  ])('is %s, and is refused by name', (_, text, what) => {
    const { servers, problems } = readConfiguration(text);
    expect(servers).toEqual([]);
    expect(problems.map((problem) => problem.what)).toEqual([expect.stringMatching(what)]);
    expect(JSON.stringify(problems)).not.toContain(secret);
    for (const { next } of problems) expect(next).toMatch(/\w.*\.$/);
  });

  test.each([
    [
      'Codex',
      `model = "m"\n\n[mcp_servers.docs]\ncommand = "npx"\nargs = ["-y", "docs-mcp"]\n\n[mcp_servers.docs.env]\nAPI_KEY = "${secret}"\n`,
    ],
    ['a table alone', `[mcp_servers.docs]\ncommand = "npx"\n`],
    ['a quoted table', `[mcp_servers."my docs"]\ncommand = "npx"\n`],
    ['an inline table', `mcp_servers.docs = { command = "npx", env = { API_KEY = "${secret}" } }\n`],
    ['members alone', `command = "npx"\nargs = ["-y", "docs-mcp"]\n`],
    ['with comments', `# servers\n[mcp_servers.docs] # one\ncommand="npx"\n`],
    ['an INI file', `[server]\ncommand = npx docs\nkey = ${secret}\n`],
    ['with CRLF', `[mcp_servers.docs]\r\ncommand = "npx"\r\n`],
  ])('TOML is no command line: %s', (_, text) => expectNoCommandLine(text));

  test.each([
    [
      'Continue',
      `name: mine\nmcpServers:\n  - name: sqlite\n    command: npx\n    env: { API_KEY: ${secret} }\n`,
    ],
    ['Goose', `extensions:\n  fetch:\n    cmd: uvx\n    envs: { API_KEY: ${secret} }\n`],
    ['a list', `- name: sqlite\n  command: npx\n`],
    ['a document', `---\n# x\nmcpServers:\n  a:\n    command: npx\n`],
    ['one line', 'command: npx'],
    ['with CRLF', 'mcpServers:\r\n  a:\r\n    command: npx\r\n'],
  ])('YAML is no command line: %s', (_, text) => expectNoCommandLine(text));

  function expectNoCommandLine(text: string) {
    const read = readConfiguration(text);
    expect(read.format).not.toBe('command-line');
    for (const { settings } of read.servers) {
      const { transport } = settings;
      expect(transport.kind === 'stdio' ? transport.command : '').toMatch(/^(?:npx|uvx|)$/);
      expect(transport.kind === 'stdio' ? transport.args.join(' ') : '').not.toContain(secret);
    }
  }

  test('no text with a line of TOML, YAML, JSON or prose is a command line with that line in it', () => {
    const line = fc.constantFrom(
      '[table]',
      '[[list]]',
      'key = "value"',
      `api_key = "${secret}"`,
      `api_key: ${secret}`,
      '- item: 1',
      `"apiKey": "${secret}",`,
      '<key>x</key>',
      'This is how the server is started.',
      '| a | b |',
      '}',
      '],',
    );
    const lines = fc.array(fc.oneof(line, fc.constantFrom('npx -y fs-mcp', '', '# comment')), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(lines, line, lines, fc.constantFrom('\n', '\r\n'), (before, one, after, end) => {
        const { servers } = readConfiguration([...before, one, ...after].join(end));
        for (const { settings } of servers) expect(JSON.stringify(settings)).not.toContain(secret);
        expect(
          servers.flatMap(({ settings: { transport } }) =>
            transport.kind === 'stdio' ? transport.command : [],
          ),
        ).toEqual(servers.map(() => 'npx'));
      }),
      { numRuns: 500 },
    );
  });
});

describe('what a file has twice is named, with the one that counts', () => {
  test('a server', () => {
    const text = `{ "mcpServers": {\n  "docs": { "command": "npx", "args": ["-y", "first-mcp"] },\n  "docs": { "url": "https://example.com/mcp" }\n} }`;
    expect(serversIn(text)).toEqual([['docs', 'https://example.com/mcp']]);
    expect(readConfiguration(text).problems).toMatchObject([
      {
        line: 2,
        column: 3,
        server: 'docs',
        what: expect.stringMatching(/"docs" is here more than once.*line 3, counts/),
      },
    ]);
  });

  test('a container, with the servers that are lost', () => {
    const text = `{ "mcpServers": { "a": { "command": "x" } },\n "mcpServers": { "b": { "command": "y" } } }`;
    expect(serversIn(text)).toEqual([['b', 'y']]);
    expect(problemsIn(text)).toEqual([
      expect.stringMatching(/"mcpServers" is here more than once.*with "a"/),
    ]);
  });

  test('a key or a variable of a server', () => {
    const text = `{ "mcpServers": { "a": { "command": "x", "command": "y", "env": { "K": "${secret}", "K": "2" } } } }`;
    const { problems } = readConfiguration(text);
    expect(problems).toMatchObject([
      { server: 'a', what: expect.stringContaining('"command" is here more than once') },
      { server: 'a', what: expect.stringContaining('"K" is here more than once') },
    ]);
    expect(JSON.stringify(problems)).not.toContain(secret);
  });

  test.each([
    [
      '{ "mcp": { "servers": { "lost": { "command": "npx" } } },\n "mcpServers": { "kept": { "command": "uvx" } } }',
      'mcp.servers',
    ],
    [
      '{ "mcpServers": { "kept": { "command": "uvx" } }, "servers": { "lost": { "url": "https://p.example/mcp" } } }',
      'servers',
    ],
    [
      '{ "mcpServers": { "kept": { "command": "uvx" } }, "context_servers": { "lost": { "command": "x" } } }',
      'context_servers',
    ],
    [
      '{ "mcpServers": { "kept": { "command": "uvx" } }, "tool": { "mcpServers": { "lost": { "command": "x" } } } }',
      'tool.mcpServers',
    ],
  ])('a second place for servers: %s', (text, place) => {
    const { servers, problems } = readConfiguration(text);
    const names = servers.map(({ settings }) => settings.name);
    const named = problems.map(({ server }) => server);
    expect(new Set([...names, ...named])).toEqual(new Set(['kept', 'lost']));
    expect(names).toHaveLength(1);
    expect(problems[0]?.what).toContain('This server is left out');
    if (names.includes('kept')) expect(problems[0]?.what).toContain(`"${place}"`);
  });

  test('an address', () => {
    const text =
      '{ "mcpServers": { "a": { "url": "https://one.example/mcp", "serverUrl": "https://two.example/mcp" } } }';
    expect(serversIn(text)).toHaveLength(1);
    expect(problemsIn(text)).toContainEqual(
      expect.stringMatching(/more than one address: "url", "serverUrl"/),
    );
  });
});

test.each([
  ['quoted words', 'npx ', '"a" '],
  ['variables', 'npx ', '$A '],
  ['operators', 'npx ', '& '],
  ['placeholders', 'npx ', '<a> '],
  ['commands', '', 'npx a\n'],
  ['prompts', '', '$ npx a\nout\n'],
  ['blocks', '', '```\nnpx x\n```\n'],
  ['open blocks', '', '```json\n{"a": {"command": "x"\n'],
  ['braces', 'x\n', '{\n'],
  ['keys', '"a": {', '"b": 1,'],
  ['placeholders in an object', '{', '...,'],
  ['links', 'https://vscode.dev/redirect?url=', 'https://vscode.dev/redirect?url='],
])('a text of many %s is read in time', (_, start, repeated) => {
  const { servers, problems } = readConfiguration(start + repeated.repeat(400_000 / repeated.length));
  expect(servers.length).toBeLessThanOrEqual(200);
  expect(problems.length).toBeLessThanOrEqual(100);
});

test('a file of another kind is called by its name', () => {
  const whatIs = (text: string) => readConfiguration(text).problems.map(({ what }) => what);
  expect(whatIs('{"name": "a", "lockfileVersion": 3, "packages": {"": {}}}')).toEqual([
    'This is a package-lock.json.',
  ]);
  expect(whatIs('extensions: {}')).toEqual([expect.stringMatching(/There are no servers in this text/)]);
});
