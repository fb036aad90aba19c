import type { FileError } from '#shared/contract/saved-calls.ts';
import { eachElement, elementTexts, memberText } from '#shared/json/members.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { methodFacts } from '#shared/protocol/methods.ts';
import { type Begin, methodOf, type Reading, RebuiltTrace, textOfValue } from './rebuilt-trace.ts';

const END = 'The file ends here.';

/** The lines of a text that are not blank, with their numbers from 1. */
function* linesOf(text: string): Generator<{ readonly line: string; readonly number: number }> {
  let from = 0;
  for (let number = 1; from < text.length; number++) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end === -1 ? text.length : end).replace(/\r$/, '');
    if (/\S/.test(line)) yield { line, number };
    from = end === -1 ? text.length : end + 1;
  }
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const timeOf = (value: unknown): number | null => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) ? time : null;
};

const notAnEntry = (line: number): FileError => ({
  line,
  column: 1,
  message: 'this is no entry of the file, and kept as a line that is no message',
});

const unknownEntry = (line: number, what: string): FileError => ({
  line,
  column: 1,
  message: `${what} is not known, and left out`,
});

/** A session log of mcpsnoop: an envelope on each line. */
export function readSnoop(text: string, { first }: Begin): Reading {
  const begin = isObject(first) ? first : {};
  const trace = new RebuiltTrace(timeOf(begin.ts), END);
  const unsupported: FileError[] = [];
  let command: string[] = [];
  for (const { line, number } of linesOf(text)) {
    const envelope = parsed(line);
    if (envelope === null) {
      unsupported.push(notAnEntry(number));
      trace.noise('in', line);
      continue;
    }
    const { direction, text: plain } = envelope;
    trace.goTo(timeOf(envelope.ts));
    const raw = memberText(line, ['raw']);
    if (direction === 'stderr') trace.stderr(textOfValue(plain));
    else if (direction === 'meta') command = commandOf(envelope.raw);
    else if (direction === 'c2s' || direction === 's2c') {
      const way = direction === 'c2s' ? 'out' : 'in';
      if (raw === null || raw === 'null') trace.noise(way, textOfValue(plain));
      else trace.message(way, raw);
      if (envelope.truncated === true)
        unsupported.push({ line: number, column: 1, message: 'the message was cut when it was recorded' });
    } else unsupported.push(unknownEntry(number, `the direction ${JSON.stringify(direction)}`));
  }
  const [program = 'mcpsnoop', ...args] = command;
  const name = typeof begin.server_label === 'string' ? begin.server_label : 'mcpsnoop';
  return { trace, unsupported, server: { name, transport: 'stdio', command: program, args } };
}

const commandOf = (raw: unknown): string[] =>
  isObject(raw) && Array.isArray(raw.command) ? raw.command.map(String) : [];

/** A cassette of mcp-cassette of npm: a header, and an entry on each further line. */
export function readCassetteLines(text: string, { first }: Begin): Reading {
  const header = isObject(first) ? first : {};
  const started = timeOf(header.startedAt) ?? 0;
  const trace = new RebuiltTrace(started, 'The cassette ends here.');
  const unsupported: FileError[] = [];
  const at = (offset: unknown) => trace.goTo(started + (typeof offset === 'number' ? offset : 0));
  for (const { line, number } of linesOf(text)) {
    const entry = parsed(line);
    if (entry === null) {
      unsupported.push(notAnEntry(number));
      trace.noise('in', line);
      continue;
    }
    const way = entry.dir === 'c2s' ? 'out' : 'in';
    if (entry.type === 'header') continue;
    at(entry.t);
    if (entry.type === 'frame') trace.message(way, memberText(line, ['frame']));
    else if (entry.type === 'raw') trace.noise(way, textOfValue(entry.data));
    else if (entry.type === 'chunks') {
      for (const chunk of elementTexts(memberText(line, ['chunks']) ?? '[]')) {
        at(parsed(chunk)?.t);
        trace.message(way, memberText(chunk, ['frame']));
      }
    } else unsupported.push(unknownEntry(number, `the type ${JSON.stringify(entry.type)}`));
    if (isObject(entry.http))
      unsupported.push({ line: number, column: 1, message: 'http: the trace has messages, no HTTP status' });
  }
  const words = Array.isArray(header.command) ? header.command.map(String) : [];
  const [command = 'mcp-cassette', ...args] =
    words.length > 0 ? words : ['mcp-cassette', textOfValue(header.url)];
  return { trace, unsupported, server: { name: 'cassette', transport: 'stdio', command, args } };
}

/** Bare messages: one on each line, or a JSON array of them. Each direction is found by the method, and for responses by the id. */
export function readMessages(text: string, { document }: Begin): Reading {
  const trace = new RebuiltTrace(null, END);
  const unsupported: FileError[] = [];
  const ways = new Ways();
  if (Array.isArray(document))
    for (const element of eachElement(text)) trace.message(ways.of(element), element);
  else
    for (const { line, number } of linesOf(text)) {
      if (parsed(line) !== null || line.startsWith('[')) trace.message(ways.of(line), line);
      else {
        unsupported.push(notAnEntry(number));
        trace.noise('in', line);
      }
    }
  return {
    trace,
    unsupported,
    server: { name: 'messages', transport: 'stdio', command: 'messages', args: [] },
  };
}

/** Finds who sent a message. */
class Ways {
  /** The ids of requests without a response yet, with who sent them. */
  readonly #open = new Map<string, 'in' | 'out'>();

  of(json: string): 'in' | 'out' {
    const method = methodOf(json);
    const id = memberText(json, ['id']);
    if (method === '') {
      const asked = id === null ? undefined : this.#open.get(id);
      if (id !== null) this.#open.delete(id);
      return asked === 'in' ? 'out' : 'in';
    }
    const senders = new Set(methodFacts(method)?.availability.map(({ from }) => from));
    const isOfServer = senders.has('server') || (id === null && senders.has('both'));
    const way = isOfServer ? 'in' : 'out';
    if (id !== null) this.#open.set(id, way);
    return way;
  }
}

const claudeLine = /^(\d{4}-\d\d-\d\dT[\d:.]{8,16}Z) (?:\[([^\]]*)\] )?\[([a-z]+)\] (.*)$/;
const claudeMessage = /^Message from (client|server): (.*)$/;
/** What the client writes behind a message. */
const claudeEnd = / (?:\{ metadata: [^{}]{0,2000} \}|undefined)$/;

/** A log of Claude Desktop about one server. What has no time in front is what the server printed. */
export function readClaudeDesktop(text: string, { line: begin }: Begin): Reading {
  const trace = new RebuiltTrace(timeOf(claudeLine.exec(begin)?.[1]), 'The log ends here.');
  const unsupported: FileError[] = [];
  let server = 'Claude Desktop';
  for (const { line, number } of linesOf(text)) {
    const [, time, name, , rest = ''] = claudeLine.exec(line) ?? [];
    if (time === undefined) {
      trace.stderr(line);
      continue;
    }
    server = name ?? server;
    trace.goTo(timeOf(time));
    const [, from, json = ''] = claudeMessage.exec(rest) ?? [];
    if (from === undefined) trace.stderr(rest);
    else
      addMessage(trace, {
        way: from === 'client' ? 'out' : 'in',
        json: json.replace(claudeEnd, ''),
        number,
        unsupported,
      });
  }
  return { trace, unsupported, server: { name: server, transport: 'stdio', command: server, args: [] } };
}

const vsCodeLine = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) \[([a-z]+)\] (.*)$/;
const vsCodeMessage = /^\[(editor -> server|server -> editor|Client Says|Server Says)\] (.*)$/;

/** A log of VS Code about one server. Its times are in the zone of that machine, and are taken as UTC. */
export function readVsCode(text: string, { line: begin }: Begin): Reading {
  const wallOf = ([, day = '', time = '']: readonly string[]) => timeOf(`${day}T${time}Z`);
  const trace = new RebuiltTrace(wallOf(vsCodeLine.exec(begin) ?? []), 'The log ends here.');
  const unsupported: FileError[] = [];
  let server = 'VS Code';
  for (const { line, number } of linesOf(text)) {
    const found = vsCodeLine.exec(line);
    if (found === null) {
      trace.stderr(line);
      continue;
    }
    trace.goTo(wallOf(found));
    const [, , , , rest = ''] = found;
    const [, started] = /^Starting server (.{1,200})$/.exec(rest) ?? [];
    server = started ?? server;
    const [, way, json = ''] = vsCodeMessage.exec(rest) ?? [];
    if (way === undefined) trace.stderr(rest.replace(/^\[server stderr\] /, ''));
    else
      addMessage(trace, {
        way: way === 'editor -> server' || way === 'Client Says' ? 'out' : 'in',
        json,
        number,
        unsupported,
      });
  }
  return { trace, unsupported, server: { name: server, transport: 'stdio', command: server, args: [] } };
}

interface LoggedMessage {
  readonly way: 'in' | 'out';
  readonly json: string;
  readonly number: number;
  readonly unsupported: FileError[];
}

/** A log may have cut a message. */
function addMessage(trace: RebuiltTrace, { way, json, number, unsupported }: LoggedMessage): void {
  if (parsed(json) !== null) {
    trace.message(way, json);
    return;
  }
  trace.noise(way, json);
  unsupported.push({
    line: number,
    column: 1,
    message: 'the message is cut or damaged, and kept as a line that is no message',
  });
}
