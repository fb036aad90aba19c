import { fileFormat, httpTypes, usualKeys } from './format.ts';

const noFolder = { ...usualKeys, cwd: null };

/** The clients of Anthropic. */
export const claudeFormats = [
  fileFormat({
    id: 'claude-desktop',
    label: 'Claude Desktop',
    fileName: 'claude_desktop_config.json',
    userFiles: [{ in: 'settings', path: 'Claude/claude_desktop_config.json' }],
    otherFiles: ['claude_desktop_config.json'],
    // MCP documentation, Debugging; recent versions on Windows write to the local folder.
    logFolders: [
      { in: 'home', path: 'Library/Logs/Claude', on: ['mac'] },
      { in: 'settings', path: 'Claude/logs', on: ['windows', 'linux'] },
      { in: 'local-settings', path: 'Claude/Logs', on: ['windows'] },
    ],
    signs: { root: ['globalShortcut', 'preferences'] },
    keys: noFolder,
    takesHttp: false,
  }),
  fileFormat({
    id: 'claude-code',
    label: 'Claude Code',
    fileName: '.mcp.json',
    userFiles: [{ in: 'home', path: '.claude.json' }],
    projectFiles: ['.mcp.json'],
    containers: [['mcpServers'], ['projects', '*', 'mcpServers']],
    signs: { root: ['projects'] },
    hints: {
      values: { type: ['http', 'sse', 'stdio'] },
      text: /\$\{(?!workspaceFolder|userHome|pathSeparator)[A-Za-z_]\w*(?::-[^}]*)?(?:\}|$)/,
    },
    keys: noFolder,
    types: httpTypes,
    variables: ['braced'],
  }),
] as const;
