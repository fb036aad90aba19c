import { posix, win32 } from 'node:path';
import type { JsonNode } from './jsonc.ts';
import type { ClientFormat } from '#shared/contract/servers.ts';
import { membersOf } from './json-source.ts';

/** The format of a file by its keys; several clients share `mcpServers`, so then by its name and what only one has. */
export function detectFormat(text: string, root: JsonNode, path: string | null): ClientFormat {
  const members = membersOf(root);
  if (members.has('context_servers')) return 'zed';
  if (members.has('mcpServers')) return formatByPath(path) ?? formatByContent(text, members);
  if (members.has('servers') || members.has('inputs') || members.has('mcp')) return 'vscode';
  return formatByPath(path) ?? formatByContent(text, members);
}

function formatByPath(path: string | null): ClientFormat | null {
  if (path === null) return null;
  const parts = path.split(/[\\/]/);
  const name = parts.at(-1)?.toLowerCase();
  const folder = parts.at(-2)?.toLowerCase();
  if (name === 'claude_desktop_config.json') return 'claude-desktop';
  if (name === '.mcp.json' || name === '.claude.json') return 'claude-code';
  if (name === 'mcp_config.json') return 'windsurf';
  if (folder === '.cursor') return 'cursor';
  if (folder === '.lmstudio') return 'lm-studio';
  return null;
}

function formatByContent(text: string, members: Map<string, JsonNode>): ClientFormat {
  if (members.has('globalShortcut') || members.has('preferences')) return 'claude-desktop';
  if (members.has('projects')) return 'claude-code';
  if (/"serverUrl"\s*:|\$\{file:/.test(text)) return 'windsurf';
  if (/\$\{(?:env|input):|\$\{workspaceFolder|"envFile"\s*:/.test(text)) return 'cursor';
  if (/\$\{[A-Za-z_]\w*(?::-[^}]*)?(?:\}|$)|"type"\s*:\s*"(?:http|sse|stdio)"/.test(text))
    return 'claude-code';
  return /"url"\s*:/.test(text) ? 'cursor' : 'claude-desktop';
}

/** The folder of the project that a file belongs to; null for files of a user, and if only the name of the file is known. */
export function workspaceOf(path: string | null): string | null {
  // A page learns the name of a dropped file, but not its folder.
  if (path === null || !(posix.isAbsolute(path) || win32.isAbsolute(path))) return null;
  const { dirname } = path.includes('\\') ? win32 : posix;
  if (/(?:^|[\\/])\.mcp\.json$/.test(path)) return dirname(path);
  const folder = dirname(path);
  const name = folder.split(/[\\/]/).at(-1);
  // The file of the user is in a folder of this name too, in the home folder.
  const isOfProject = name === '.vscode' || name === '.cursor';
  return isOfProject ? dirname(folder) : null;
}
