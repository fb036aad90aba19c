import type { ExchangeDetail } from '#shared/contract/trace.ts';
import type { TraceHeader } from '#shared/trace/record.ts';
import { JsonLines } from '#ui/json-lines.ts';
import { keyOf, lineAtPointer, pointerTo } from '../json/json-pointer.ts';

/** A body of more bytes fits no single argument on Linux. */
export const LONGEST_BODY = 120_000;

/** Header lines that curl writes by itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

/** To curl, `@` in front of a name is a file of headers. */
const isHeaderName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * The command that sends the request of an exchange again, as it is on record: secrets are placeholders. A trace may
 * come from anybody, so nothing in it becomes an option, or names a file for curl to read.
 *
 * @param body null when it had none
 * @returns null when what is on record is no address of HTTP
 */
export function curlCommand({ request, connected }: ExchangeDetail, body: string | null): string | null {
  const { method, url, headers } = request;
  if (!/^https?:\/\//i.test(url)) return null;
  const lines: string[] = [];
  const usual = body === null ? 'GET' : 'POST';
  const has = (name: string) => headers.some(([header]) => header.toLowerCase() === name);
  lines.push(`curl${method === usual ? '' : ` --request ${shellWord(method)}`} --url ${shellWord(url)}`);
  // Brackets in an address would stand for several.
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
  // These two it would add by itself.
  if (!has('accept')) lines.push('--header Accept:');
  if (body !== null && !has('content-type')) lines.push('--header Content-Type:');
  if (body !== null) lines.push(`--data-raw ${shellWord(body)}`);
  return lines.join(' \\\n  ');
}

type ServerOfTrace = TraceHeader['server'];

/** What the session sends by itself, whatever is asked for. */
const ownMethods: ReadonlySet<string> = new Set(['initialize']);

/**
 * The command that has Sightglass send this request to the same server from a terminal. Null when the command line has
 * no way to say it.
 *
 * @param text the request, as it was sent
 * @param authorization the header line that lets us in, as it is on record
 * @param isFromFile the trace was opened from a file, so that anybody may have written what it would run: the command
 * shows that and asks first
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
  /** As it was sent. */
  readonly source: string;
  /** What a string means. */
  readonly text: string | null;
}

/** `call TOOL key=value …`, as far as that says all there is. */
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

/** A key that can stand before `=` or `:=`. */
const isWordKey = (key: string): boolean =>
  key !== '' && !key.includes('=') && !key.endsWith(':') && !key.startsWith('-') && !needsEscapes(key);

/** Text that could be taken for another type, and every other value, is written as JSON. */
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What may be written without quotes in every POSIX shell. A `=` in front would be a command's path in zsh. */
const plain = /^[\w@%+:,./-][\w@%+=:,./-]*$/;
/** Control characters, and those that would reorder what is seen: pasted raw, they could end the quotes or the paste. */
const unsafe = /[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const everyUnsafe = new RegExp(unsafe, 'g');

/** Whether a text would need to be escaped in a command line, not only quoted. */
const needsEscapes = (text: string): boolean => unsafe.test(text);

/**
 * One word of a command line that a POSIX shell hands on exactly as it is (POSIX.1-2024, Shell Command Language 2.2):
 * nothing in it is run or expanded.
 */
export function shellWord(text: string): string {
  if (plain.test(text)) return text;
  if (!needsEscapes(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replaceAll(/[\\']/g, '\\$&').replaceAll(everyUnsafe, escapeOf);
  return `$'${escaped}'`;
}

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Three octal digits end by themselves, which two hexadecimal ones do not everywhere. */
const escapeOf = (character: string): string =>
  shortEscapes[character] ??
  [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
