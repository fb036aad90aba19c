import type { TraceHeader } from '#shared/trace/record.ts';
import { JsonLines } from '#ui/json-lines.ts';
import { keyOf, lineAtPointer, pointerTo } from '../json/json-pointer.ts';
import { needsEscapes, shellWord } from './shell.ts';

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
