import { isJson } from '#shared/json/tokens.ts';
import { isHeaderName, needsEscapes, ownHeaders, shellWord } from '#shared/shell-words.ts';
import type { ExchangeDetail } from '#shared/contract/trace.ts';
import type { TraceHeader } from '#shared/trace/record.ts';
import { JsonLines } from '#ui/json-lines.ts';
import { keyOf, lineAtPointer, pointerTo } from '#ui/json-view/line-pointers.ts';

/** Limit of a single argument on Linux; bytes. */
export const MAX_BODY_LENGTH = 120_000;

/**
 * The command that repeats the request of an exchange as recorded, with placeholders for secrets. A trace may come from
 * anyone, so nothing in it may become an option or name a file for curl to read.
 *
 * @returns null when the recorded address is not HTTP
 */
export function curlCommand({ request, connected }: ExchangeDetail, body: string | null): string | null {
  const { method, url, headers } = request;
  if (!/^https?:\/\//i.test(url)) return null;
  const lines: string[] = [];
  const usual = body === null ? 'GET' : 'POST';
  const has = (name: string) => headers.some(([header]) => header.toLowerCase() === name);
  lines.push(`curl${method === usual ? '' : ` --request ${shellWord(method)}`} --url ${shellWord(url)}`);
  // curl expands brackets in an address to several addresses.
  if (/[[\]{}]/.test(url)) lines.push('--globoff');
  if (connected?.tls?.untrusted !== undefined) lines.push('--insecure');
  if (has('accept-encoding')) lines.push('--compressed');
  if (
    headers.some(([name, value]) => name.toLowerCase() === 'accept' && value.includes('text/event-stream'))
  ) {
    lines.push('--no-buffer');
  }
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (ownHeaders.has(lower) || lower === 'accept-encoding' || !isHeaderName.test(name)) continue;
    lines.push(`--header ${shellWord(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  // curl would add these two itself.
  if (!has('accept')) lines.push('--header Accept:');
  if (body !== null && !has('content-type')) lines.push('--header Content-Type:');
  if (body !== null) lines.push(`--data-raw ${shellWord(body)}`);
  return lines.join(' \\\n  ');
}

type ServerOfTrace = TraceHeader['server'];

/** Methods that the session sends automatically. */
const ownMethods: ReadonlySet<string> = new Set(['initialize']);

/**
 * The `sightglass` command that sends this request to the same server. Null when it cannot be written on a command
 * line.
 *
 * @param text the request, as it was sent
 * @param authorization the recorded Authorization header
 * @param isFromFile the trace was opened from a file, so anyone may have written the command it runs: adds `--confirm`,
 * which shows it and asks
 */
export function cliCommand(
  text: string,
  server: ServerOfTrace,
  authorization: string | null,
  isFromFile: boolean,
): string | null {
  const lines = new JsonLines(text);
  lines.read();
  if (!lines.isJson) return null;
  const method = textAt(lines, '/method');
  if (method === null || method.startsWith('-') || ownMethods.has(method)) return null;
  const members = membersAt(lines, '/params').filter(({ key }) => key !== '_meta');
  const words = (method === 'tools/call' ? callWords(lines, members) : null) ?? requestWords(method, members);
  const confirm = isFromFile ? ['--confirm'] : [];
  return ['sightglass', ...words, ...confirm, ...targetWords(server, authorization)].map(shellWord).join(' ');
}

interface Member {
  readonly key: string;
  /** The text as it was sent. */
  readonly source: string;
  /** The unescaped text of a string. */
  readonly text: string | null;
}

/** `call TOOL key=value …`; null when the request has more to it. */
function callWords(lines: JsonLines, params: readonly Member[]): string[] | null {
  const tool = textAt(lines, '/params/name');
  const isUsual = params.every(({ key }) => key === 'name' || key === 'arguments');
  if (tool === null || tool === '' || tool.startsWith('-') || !isUsual) return null;
  const given = params.filter(({ key }) => key === 'arguments').at(-1);
  if (given === undefined) return ['call', tool];
  if (!given.source.startsWith('{')) return null;
  const members = membersAt(lines, '/params/arguments');
  const keys = new Set(members.map(({ key }) => key));
  const areWords = keys.size === members.length && [...keys].every(isWordKey);
  return areWords ? ['call', tool, ...members.map(wordOf)] : ['call', tool, '--args', given.source];
}

/** A key that can be written before `=` or `:=`. */
const isWordKey = (key: string): boolean =>
  key !== '' && !key.includes('=') && !key.endsWith(':') && !key.startsWith('-') && !needsEscapes(key);

/** Values other than text, and text that looks like JSON, are written as JSON. */
const wordOf = ({ key, source, text }: Member): string =>
  text === null || isJson(text) || needsEscapes(text) ? `${key}:=${source}` : `${key}=${text}`;

function requestWords(method: string, params: readonly Member[]): string[] {
  if (params.length === 0) return ['request', method];
  const written = params.map(({ key, source }) => `${JSON.stringify(key)}:${source}`).join(',');
  return ['request', method, '--params', `{${written}}`];
}

const targetWords = (server: ServerOfTrace, authorization: string | null): string[] =>
  server.transport === 'stdio'
    ? ['--', server.command, ...server.args]
    : [
        '--url',
        server.url,
        ...(authorization === null ? [] : ['--header', `Authorization: ${authorization}`]),
      ];

function membersAt(lines: JsonLines, pointer: string): Member[] {
  const open = lineAtPointer(lines, pointer);
  if (pointerTo(lines, open) !== pointer || lines.kind(open) !== 'open-object') return [];
  const members: Member[] = [];
  for (let line = open + 1; line < lines.count && !lines.isClose(line); line = lines.next(line)) {
    const { from } = lines.line(line);
    const source = lines.raw.slice(from, lines.line(lines.mate(line)).end);
    const text = lines.kind(line) === 'string' ? String(JSON.parse(source)) : null;
    members.push({ key: keyOf(lines, line) ?? '', source, text });
  }
  return members;
}

function textAt(lines: JsonLines, pointer: string): string | null {
  const line = lineAtPointer(lines, pointer);
  if (pointerTo(lines, line) !== pointer || lines.kind(line) !== 'string') return null;
  const { from, end } = lines.line(line);
  return String(JSON.parse(lines.raw.slice(from, end)));
}
