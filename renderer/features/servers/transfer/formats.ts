import { type ClientFormat, clientFormats } from '#shared/contract/servers.ts';

/** What each format is called. */
export const formatLabels: Readonly<Record<ClientFormat, string>> = {
  'claude-desktop': 'Claude Desktop',
  'claude-code': 'Claude Code (.mcp.json)',
  vscode: 'VS Code',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  'lm-studio': 'LM Studio',
  zed: 'Zed',
  registry: 'server.json',
  'command-line': 'Command line',
};

export const formatOptions = clientFormats.map((value) => ({ value, label: formatLabels[value] }));

/** The usual name of a file of each format. */
export const fileNames: Readonly<Record<ClientFormat, string>> = {
  'claude-desktop': 'claude_desktop_config.json',
  'claude-code': '.mcp.json',
  vscode: 'mcp.json',
  cursor: 'mcp.json',
  windsurf: 'mcp_config.json',
  'lm-studio': 'mcp.json',
  zed: 'settings.json',
  registry: 'server.json',
  'command-line': 'server.sh',
};
