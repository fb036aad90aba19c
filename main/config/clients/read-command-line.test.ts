import { describe, expect, test } from 'vitest';
import { readConfiguration } from './read-configuration.ts';

interface Wanted {
  readonly name?: string;
  readonly run?: string;
  readonly url?: string;
  readonly env?: readonly string[];
  readonly headers?: readonly string[];
  readonly cwd?: string;
  readonly transport?: string;
  readonly leftOut?: readonly string[];
}

/** The one server of a text, as far as a test says something about it. */
function serverIn(text: string, isWindows = false): Required<Wanted> {
  const { servers, problems } = readConfiguration(text, { isWindows });
  expect(problems.map(({ what }) => what)).toEqual([]);
  expect(servers).toHaveLength(1);
  const [draft] = servers;
  if (draft === undefined) throw new Error('no server');
  const { name, transport } = draft.settings;
  const leftOut = draft.leftOut.map(({ key }) => key);
  const nothing = { name, leftOut, run: '', url: '', env: [], headers: [], cwd: '', transport: '' };
  if (transport.kind === 'http') {
    const headers = transport.headers.map(
      (one) => `${one.name}: ${one.value ?? ''}${one.secret ? ' (secret)' : ''}`,
    );
    return { ...nothing, url: transport.url, transport: transport.transport, headers };
  }
  return {
    ...nothing,
    run: [transport.command, ...transport.args].join('|'),
    env: transport.env.map((one) => `${one.name}=${one.value ?? ''}${one.secret ? ' (secret)' : ''}`),
    cwd: transport.cwd ?? '',
  };
}

const key = 'sk-test-0123456789';

describe('the command by which a client adds a server is read as the entry it would write', () => {
  test.each<[string, Wanted]>([
    ['claude mcp add fs -- npx -y fs-mcp /tmp', { name: 'fs', run: 'npx|-y|fs-mcp|/tmp' }],
    ['claude mcp add fs npx -y fs-mcp --port 3', { name: 'fs', run: 'npx|-y|fs-mcp|--port|3' }],
    [
      `claude mcp add --transport stdio --env API_KEY=${key} --env B=2 fs -- npx fs-mcp`,
      { name: 'fs', run: 'npx|fs-mcp', env: [`API_KEY=${key} (secret)`, 'B=2'] },
    ],
    [
      `claude mcp add fs -e API_KEY=${key} B=2 -- npx fs-mcp`,
      { env: [`API_KEY=${key} (secret)`, 'B=2'], run: 'npx|fs-mcp' },
    ],
    ['claude mcp add fs -- docker run -i -e A=b image', { run: 'docker|run|-i|-e|A=b|image', env: [] }],
    ['claude mcp add fs docker run -i -e A=b image', { run: 'docker|run|-i|-e|A=b|image', env: [] }],
    [
      'claude mcp add --transport http api https://x.example/mcp --header "Authorization: Bearer abc123"',
      {
        name: 'api',
        url: 'https://x.example/mcp',
        transport: 'streamable-http',
        headers: ['Authorization: Bearer abc123 (secret)'],
      },
    ],
    ['claude mcp add -s user -t sse api https://x.example/sse', { transport: 'http-sse', leftOut: ['-s'] }],
    ['claude mcp add api https://x.example/mcp', { url: 'https://x.example/mcp', transport: 'auto' }],
    [`claude mcp add-json fs '{"command": "npx", "args": ["fs-mcp"]}'`, { name: 'fs', run: 'npx|fs-mcp' }],
    [
      `claude mcp add-json -s user fs '{\n  "type": "http",\n  "url": "https://x.example/mcp"\n}'`,
      { name: 'fs', url: 'https://x.example/mcp', leftOut: ['-s'] },
    ],
    [
      `codex mcp add fs --env API_KEY=${key} -- npx -y fs-mcp`,
      { name: 'fs', run: 'npx|-y|fs-mcp', env: [`API_KEY=${key} (secret)`] },
    ],
    [
      'codex mcp add api --url https://x.example/mcp --bearer-token-env-var API_TOKEN',
      { url: 'https://x.example/mcp', headers: ['Authorization: Bearer ${env:API_TOKEN}'] },
    ],
    [
      `gemini mcp add -s user -e API_KEY=${key} --timeout 9000 --trust fs npx -y fs-mcp`,
      {
        name: 'fs',
        run: 'npx|-y|fs-mcp',
        env: [`API_KEY=${key} (secret)`],
        leftOut: ['-s', '--timeout', '--trust'],
      },
    ],
    [
      'gemini mcp add -t http api https://x.example/mcp',
      { url: 'https://x.example/mcp', transport: 'streamable-http' },
    ],
    ['qwen mcp add fs npx fs-mcp', { name: 'fs', run: 'npx|fs-mcp' }],
    [
      'kiro-cli mcp add --name fs --command npx --args "-y,fs-mcp" --env A=1,B=2',
      { name: 'fs', run: 'npx|-y|fs-mcp', env: ['A=1', 'B=2'] },
    ],
    ['q mcp add --name fs --command npx --args \'["-y", "fs-mcp"]\'', { run: 'npx|-y|fs-mcp' }],
    [
      'amp mcp add fs --command uvx --args "fs-mcp" "--root" "/a"',
      { name: 'fs', run: 'uvx|fs-mcp|--root|/a' },
    ],
    [
      'codex mcp add --url https://x.example/mcp --oauth-client-id abc fs',
      { name: 'fs', leftOut: ['--oauth-client-id'] },
    ],
    ['export A=1\nclaude mcp add fs -- npx fs-mcp', { env: ['A=1'] }],
    [
      `warp agent run --mcp '{"fs": {"url": "https://x.example/mcp"}}' -p "x"`,
      { name: 'fs', url: 'https://x.example/mcp' },
    ],
    ['amp mcp add fs -- npx fs-mcp', { name: 'fs', run: 'npx|fs-mcp' }],
    [
      'copilot mcp add --transport http api https://x.example/mcp',
      { name: 'api', url: 'https://x.example/mcp' },
    ],
    ['claude mcp add -t http api "$MCP_URL"', { name: 'api', url: '${env:MCP_URL}' }],
    [
      `goose session --with-extension "API_KEY=${key} npx -y fs-mcp" --debug`,
      { name: 'fs-mcp', run: 'npx|-y|fs-mcp', env: [`API_KEY=${key} (secret)`] },
    ],
    [
      'goose session --with-streamable-http-extension=https://x.example/mcp',
      { url: 'https://x.example/mcp', transport: 'streamable-http' },
    ],
    [`amp --mcp-config '{"fs": {"command": "npx", "args": ["fs-mcp"]}}'`, { name: 'fs', run: 'npx|fs-mcp' }],
    ['droid mcp add fs "npx -y fs-mcp"', { name: 'fs', run: 'npx|-y|fs-mcp' }],
    [`code --add-mcp '{"name":"fs","command":"npx","args":["fs-mcp"]}'`, { name: 'fs', run: 'npx|fs-mcp' }],
    [
      `code --add-mcp "{\\"name\\":\\"fs\\",\\"url\\":\\"https://x.example/mcp\\"}"`,
      { name: 'fs', url: 'https://x.example/mcp' },
    ],
    ['$ claude mcp add fs \\\n    --env A=1 \\\n    -- npx fs-mcp', { run: 'npx|fs-mcp', env: ['A=1'] }],
  ])('%s', (text, wanted) => {
    expect(serverIn(text)).toMatchObject(wanted);
  });

  test('the client is told', () => {
    expect(readConfiguration('claude mcp add fs -- npx fs-mcp').format).toBe('claude-code');
    expect(readConfiguration(`code --add-mcp '{"name":"fs","command":"npx"}'`).format).toBe('vscode');
  });

  test.each([
    ['claude mcp add fs', /has no command line or address/],
    ['claude mcp add-json fs', /has no JSON/],
    ['claude mcp add [options] <name> <command> [args...]', /shows how the command is written/],
    ['goose session --with-extension', /has no server after it/],
    ['claude mcp list', /adds no server/],
    ['codex mcp login fs', /adds no server/],
    ['claude mcp add-from-claude-desktop', /adds no server/],
    [`code --add-mcp '{"name":"fs"}'`, /neither|no servers/],
    ['code --add-mcp', /./],
  ])('%s is refused by name', (text, what) => {
    const { servers, problems } = readConfiguration(text);
    expect(servers).toEqual([]);
    expect(problems.map((problem) => problem.what)).toContainEqual(expect.stringMatching(what));
  });
});

describe('a link that installs a server is read', () => {
  const entry = { command: 'npx', args: ['fs-mcp'] };
  const base64 = Buffer.from(JSON.stringify(entry)).toString('base64');
  test.each([
    `cursor://anysphere.cursor-deeplink/mcp/install?name=fs&config=${base64}`,
    `https://cursor.com/en/install-mcp?name=fs&config=${encodeURIComponent(base64)}`,
    `lmstudio://add_mcp?name=fs&config=${base64}`,
    `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'fs', ...entry }))}`,
    `https://insiders.vscode.dev/redirect/mcp/install?name=fs&config=${encodeURIComponent(JSON.stringify(entry))}&quality=insiders`,
    `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'fs', ...entry }))}`)}`,
    'goose://extension?cmd=npx&arg=fs-mcp&name=FS&id=fs',
    `https://kiro.dev/launch/mcp/add?name=fs&config=${encodeURIComponent(JSON.stringify(entry))}`,
  ])('%s', (link) => {
    expect(serverIn(link)).toMatchObject({ name: 'fs', run: 'npx|fs-mcp' });
  });

  test('and one without a server in it, or of another client, is refused', () => {
    expect(
      readConfiguration('cursor://anysphere.cursor-deeplink/mcp/install?name=fs').problems[0]?.what,
    ).toContain('into Cursor');
    expect(readConfiguration('zed://extension/x').problems[0]?.what).toContain('address of a kind');
    expect(readConfiguration('mailto:x@y.example').problems[0]?.what).toContain('This is a link');
  });
});

describe('a command line as people paste it', () => {
  test.each<[string, Wanted]>([
    ['$ npx -y fs-mcp', { run: 'npx|-y|fs-mcp' }],
    ['  > npx -y fs-mcp', { run: 'npx|-y|fs-mcp' }],
    ['ada@host:~/x$ npx -y fs-mcp', { run: 'npx|-y|fs-mcp' }],
    ['[ada@host ~]$ npx -y fs-mcp', { run: 'npx|-y|fs-mcp' }],
    ['(venv) ada@host:~$ npx -y fs-mcp', { run: 'npx|-y|fs-mcp' }],
    ['bash-5.1$ npx -y fs-mcp', { run: 'npx|-y|fs-mcp' }],
    ['~/x $ npx -y fs-mcp', { run: 'npx|-y|fs-mcp' }],
    ['npx -y fs-mcp.', { run: 'npx|-y|fs-mcp' }],
    ['`npx -y fs-mcp`', { run: 'npx|-y|fs-mcp' }],
    ['"npx -y fs-mcp"', { run: 'npx|-y|fs-mcp' }],
    ['npx -y fs-mcp # starts it', { run: 'npx|-y|fs-mcp' }],
    ['# starts it\nnpx -y fs-mcp\n', { run: 'npx|-y|fs-mcp' }],
    ['npx -y \\\r\n  fs-mcp \\ \r\n  --root /a', { run: 'npx|-y|fs-mcp|--root|/a' }],
    [`API_KEY=${key} npx fs-mcp`, { run: 'npx|fs-mcp', env: [`API_KEY=${key} (secret)`] }],
    [`export API_KEY=${key} && npx fs-mcp`, { run: 'npx|fs-mcp', env: [`API_KEY=${key} (secret)`] }],
    [`export API_KEY="${key}"; npx fs-mcp`, { run: 'npx|fs-mcp', env: [`API_KEY=${key} (secret)`] }],
    [
      `export API_KEY=${key}\nexport B='2 3'\nnpx fs-mcp`,
      { run: 'npx|fs-mcp', env: [`API_KEY=${key} (secret)`, 'B=2 3'] },
    ],
    [`env API_KEY=${key} B=2 npx fs-mcp`, { run: 'npx|fs-mcp', env: [`API_KEY=${key} (secret)`, 'B=2'] }],
    [`cross-env A=1 node x.js`, { run: 'node|x.js', env: ['A=1'] }],
    [`set API_KEY=${key} && npx fs-mcp`, { run: 'npx|fs-mcp', env: [`API_KEY=${key} (secret)`] }],
    [`set "A=1 2" && npx fs-mcp`, { run: 'npx|fs-mcp', env: ['A=1 2'] }],
    [`$env:API_KEY="${key}"; npx fs-mcp`, { run: 'npx|fs-mcp', env: [`API_KEY=${key} (secret)`] }],
    [`$env:API_KEY = '${key}'\nnpx fs-mcp`, { run: 'npx|fs-mcp', env: [`API_KEY=${key} (secret)`] }],
    ['PS C:\\Users\\Ada> npx fs-mcp C:\\data', { run: 'npx|fs-mcp|C:\\data' }],
    ['C:\\Users\\Ada>npx fs-mcp', { run: 'npx|fs-mcp' }],
    [
      '& "C:\\Program Files\\nodejs\\node.exe" C:\\x\\server.js',
      { run: 'C:\\Program Files\\nodejs\\node.exe|C:\\x\\server.js' },
    ],
    ['npx fs-mcp `\n  --root C:\\data', { run: 'npx|fs-mcp|--root|C:\\data' }],
    ['npx fs-mcp ^\r\n  --root C:\\data', { run: 'npx|fs-mcp|--root|C:\\data' }],
    ['cmd /c npx -y fs-mcp', { run: 'cmd|/c|npx|-y|fs-mcp' }],
    ['.\\server.exe --stdio', { run: '.\\server.exe|--stdio' }],
    ['node C:\\x\\server.js', { run: 'node|C:\\x\\server.js' }],
    ['cd /srv/fs && node server.js', { run: 'node|server.js', cwd: '/srv/fs' }],
    ['cd ~/fs && node server.js', { run: 'node|server.js', cwd: '${userHome}/fs' }],
    [
      'npx @modelcontextprotocol/inspector node server.js',
      { run: 'node|server.js', leftOut: ['@modelcontextprotocol/inspector'] },
    ],
    ['my-server --stdio', { run: 'my-server|--stdio' }],
    ['/opt/x/server', { run: '/opt/x/server' }],
    ['./server.sh', { run: './server.sh' }],
    ['~/bin/server', { run: '${userHome}/bin/server' }],
    ['npx x --root $HOME/data "${DATA}" \'$3\'', { run: 'npx|x|--root|${env:HOME}/data|${env:DATA}|$3' }],
    [
      `export TOKEN=abc-1\nnpx x --header "Bearer $TOKEN" $TOKENS`,
      { run: 'npx|x|--header|Bearer ${input:TOKEN}|${env:TOKENS}', env: ['TOKEN=abc-1 (secret)'] },
    ],
    ['export ROOT=/a\nnpx x $ROOT/b', { run: 'npx|x|/a/b', env: ['ROOT=/a'] }],
    ['npx x %APPDATA%\\x', { run: 'npx|x|${env:APPDATA}\\x' }],
    ['export KEY="$OTHER" && npx x', { env: ['KEY=${env:OTHER}'] }],
    ['Xserver', { run: 'Xserver' }],
    ['python -m mcp_server_git --repository .', { run: 'python|-m|mcp_server_git|--repository|.' }],
    ['docker run -i --rm -e A=b ghcr.io/x/y:latest', { run: 'docker|run|-i|--rm|-e|A=b|ghcr.io/x/y:latest' }],
    [`npx fs-mcp --config '{"a": "b; c && d"}'`, { run: 'npx|fs-mcp|--config|{"a": "b; c && d"}' }],
    ['npx mcp-remote https://x.example/mcp?a=1&b=2', { run: 'npx|mcp-remote|https://x.example/mcp?a=1&b=2' }],
    ['<https://x.example/mcp>', { url: 'https://x.example/mcp' }],
    ['"https://x.example/mcp"', { url: 'https://x.example/mcp' }],
    ['https://x.example/mcp\n', { url: 'https://x.example/mcp' }],
  ])('is read: %s', (text, wanted) => {
    expect(serverIn(text)).toMatchObject(wanted);
  });

  test('of Windows keeps its backslashes, and quotes as shells do where single quotes are around a word', () => {
    expect(serverIn('node C:\\x\\server.js --a "b c"', true).run).toBe('node|C:\\x\\server.js|--a|b c');
    expect(serverIn(`code --add-mcp '{"name":"fs","command":"npx"}'`, true)).toMatchObject({
      name: 'fs',
      run: 'npx',
    });
    expect(serverIn(`claude mcp add-json fs '{\\"command\\":\\"npx\\"}'`, true)).toMatchObject({
      name: 'fs',
      run: 'npx',
    });
  });

  test.each<[string, string[], RegExp[]]>([
    [
      'npm install\nnpm run build\nnode dist/index.js',
      ['node'],
      [/"npm install" prepares/, /"npm run" prepares/],
    ],
    ['export KEY="$(cat key)"\nnpx x', ['npx'], [/The value of KEY comes from a command/]],
    [
      'git clone https://x.example/y && cd y && node x.js',
      ['node'],
      [/"git clone" prepares/, /folder is left out/],
    ],
    ['pip install x; uvx y', ['uvx'], [/"pip install" prepares/]],
    ['npx x | tee log', ['npx'], [/No shell runs/]],
    ['npx x 2>&1 > log.txt', ['npx'], [/"2>&1" is left out/, /"> log.txt" is left out/]],
    ['npx x --key <YOUR KEY>', ['npx'], [/<YOUR KEY> stands for a value of yours/]],
    ['$ npx x\nServer running on stdio', ['npx'], [/it is output/]],
    ['npx x <<EOF\ny\nEOF', ['npx'], [/"<<EOF" is left out/]],
    ['npx one\nnpx two', ['npx', 'npx'], []],
  ])('is read without what only prepares or surrounds it, which is named: %s', (text, commands, named) => {
    const { servers, problems } = readConfiguration(text);
    expect(
      servers.map(({ settings: { transport } }) => transport.kind === 'stdio' && transport.command),
    ).toEqual(commands);
    expect(problems.map(({ what }) => what)).toEqual(named.map((one) => expect.stringMatching(one)));
    expect(new Set(servers.map((one) => one.key)).size).toBe(servers.length);
  });

  test('has no value of a variable in its name', () => {
    for (const line of [
      `docker run -i -e API_KEY=${key} x/fs`,
      `npx A=${key} fs`,
      `docker run --env API_KEY=${key} x/fs`,
    ]) {
      expect(readConfiguration(line).servers.map(({ settings }) => settings.name)).toEqual(['fs']);
    }
  });

  test('keeps a value of several words for a placeholder together', () => {
    const [server] = readConfiguration('npx x --key=<YOUR KEY> --b').servers;
    expect(server?.settings.transport).toMatchObject({ args: ['x', '--key=<YOUR KEY>', '--b'] });
  });

  test.each([
    ['npm install -g fs-mcp', /"npm install" prepares something/],
    ['brew install x', /"brew install" prepares/],
    ['curl https://x.example/mcp', /"curl" prepares/],
    [
      'npx -y @smithery/cli@latest install x --client claude',
      /adds a server to the configuration of a client/,
    ],
    ['export A=1', /environment variables/],
    ['Start-Process = x', /sets something/],
    ['Start-Process npx -ArgumentList "-y x"', /a command of PowerShell/],
    ['42', /begins with no program/],
    ['null', /begins with no program/],
    ['1. Install it', /begins with no program/],
    ['name,command\na,npx', /begins with a key or a word/],
    ['lorem ipsum dolor sit amet', /This is a sentence/],
    ['{{command}} x', /quotation marks is missing/],
    ['(npx x)', /begins with no program/],
    ['npx "open', /never closed/],
  ])('is refused by name where it starts no server: %s', (text, what) => {
    const { servers, problems } = readConfiguration(text);
    expect(servers).toEqual([]);
    expect(problems[0]?.what).toMatch(what);
  });

  test('as it was chosen is no sentence, whatever it looks like', () => {
    const { servers } = readConfiguration('Serve the files of my project now', { format: 'command-line' });
    expect(servers).toHaveLength(1);
    expect(readConfiguration('[mcp_servers.x]\ncommand = "npx"', { format: 'command-line' }).servers).toEqual(
      [],
    );
  });
});
