import type { ClientFormat } from '#shared/contract/servers.ts';

/** The links by which pages install a server into a client: each has the entry of the server in it. */

/** An entry as the client's file would have it. */
export interface NamedEntry {
  readonly format: ClientFormat;
  /** The format whose keys the entry has, if they are those of another one. */
  readonly readAs?: ClientFormat;
  /** Null: the entry has its name. */
  readonly name: string | null;
  /** JSON. */
  readonly entry: string;
}

/** `goose://extension?cmd=npx&arg=-y&arg=…` or `?url=…&type=…`. */
function gooseEntry(parameters: URLSearchParams): string | null {
  const command = parameters.get('cmd');
  const url = parameters.get('url');
  if (command !== null) return JSON.stringify({ command, args: parameters.getAll('arg') });
  if (url === null) return null;
  return JSON.stringify({ url, type: parameters.get('type') === 'streamable_http' ? 'http' : 'sse' });
}

interface LinkKind {
  /** What the URL begins with. */
  readonly begins: RegExp;
  readonly client: string;
  readonly format: ClientFormat;
}

const linkKinds: readonly LinkKind[] = [
  {
    begins: /^cursor:\/\/|^https:\/\/(?:www\.)?cursor\.com\/(?:\w\w\/)?(?:install-mcp|link\/mcp)/i,
    client: 'Cursor',
    format: 'cursor',
  },
  {
    begins: /^vscode(?:-insiders)?:|^https:\/\/(?:insiders\.)?vscode\.dev\/redirect/i,
    client: 'VS Code',
    format: 'vscode',
  },
  {
    begins: /^lmstudio:\/\/|^https:\/\/lmstudio\.ai\/install-mcp/i,
    client: 'LM Studio',
    format: 'lm-studio',
  },
  { begins: /^https:\/\/kiro\.dev\/launch\/mcp\/add|^kiro:\/\//i, client: 'Kiro', format: 'kiro' },
];

const gooseLink = /^goose:\/\/extension/i;

type Link = NamedEntry | { readonly client: string; readonly entry: null };

/** Links of a page that are tried. */
const MAX_LINKS = 20;

/** The links in a page that install a server, as READMEs have them behind their badges. */
export function installLinksIn(text: string): { link: string; at: number }[] {
  const found: { link: string; at: number }[] = [];
  for (const { 0: link, index } of text.matchAll(/\b(?:https|[a-z-]{4,16}):[^\s()"'<>`]{10,20000}/g)) {
    if (readInstallLink(link)?.entry == null) continue;
    found.push({ link, at: index });
    if (found.length === MAX_LINKS) break;
  }
  return found;
}

/** Reads a link that installs a server; null if the text is no such link. */
export function readInstallLink(link: string): Link | null {
  if (gooseLink.test(link)) {
    const parameters = new URLSearchParams(queryOf(link));
    const entry = gooseEntry(parameters);
    const name = parameters.get('id') ?? parameters.get('name') ?? 'extension';
    return entry === null
      ? { client: 'Goose', entry }
      : { format: 'goose', readAs: 'claude-code', name, entry };
  }
  const found = linkKinds.find(({ begins }) => begins.test(link));
  if (found === undefined) return null;
  const { format, client } = found;
  const query = queryOf(link);
  const inner = new URLSearchParams(query).get('url');
  // One link leads to another, and no further.
  if (inner !== null && !/[?&]url=/.test(inner)) return readInstallLink(inner);
  const parameters = new URLSearchParams(query);
  const config = parameters.get('config');
  // The link of VS Code is all JSON.
  const entry = jsonIn(config ?? decoded(query));
  if (entry === null) return { client, entry: null };
  return { format, name: parameters.get('name'), entry };
}

const queryOf = (link: string): string => {
  const at = link.indexOf('?');
  return at === -1 ? '' : link.slice(at + 1).replace(/#.*$/s, '');
};

/** JSON, or JSON in Base64, in which a space was a plus sign. */
function jsonIn(text: string): string | null {
  for (const one of [text, decoded(text), Buffer.from(text.replaceAll(' ', '+'), 'base64').toString()]) {
    if (one.trimStart().startsWith('{')) return one;
  }
  return null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
