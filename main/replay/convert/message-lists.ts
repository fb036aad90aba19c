import { elementTexts, memberText } from '#shared/json/members.ts';
import { isJson, unquoted } from '#shared/json/tokens.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type Begin, methodOf, type Reading, RebuiltTrace } from './rebuilt-trace.ts';

const parsed = (text: string): Record<string, unknown> => {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
};

const timeOf = (value: unknown): number | null =>
  typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : null;

const NO_PLACE = { line: 1, column: 1 };

/** A cassette of mcp-cassette of PyPI: one document with all messages. */
export function readCassetteDocument(text: string, { document }: Begin): Reading {
  const cassette = isObject(document) ? document : {};
  const started = timeOf(cassette.recorded_at) ?? 0;
  const trace = new RebuiltTrace(started, 'The cassette ends here.');
  const unsupported: Reading['unsupported'] = [];
  for (const [index, written] of elementTexts(memberText(text, ['messages']) ?? '[]').entries()) {
    const { sender, t_offset_ms: offset, payload } = parsed(written);
    const way = sender === 'client' ? 'out' : 'in';
    trace.goTo(started + (typeof offset === 'number' ? offset : 0));
    if (typeof payload === 'string') trace.noise(way, payload);
    else if (isObject(payload)) trace.message(way, memberText(written, ['payload']));
    else unsupported.push({ ...NO_PLACE, message: `messages.${index} has no payload, and is left out` });
  }
  const { server_info: info, server_url: url } = cassette;
  const name = isObject(info) && typeof info.name === 'string' ? info.name : 'cassette';
  const args = typeof url === 'string' ? [url] : [];
  return { trace, unsupported, server: { name, transport: 'stdio', command: 'mcp-cassette', args } };
}

/** What the Inspector exports: the history of version 2, and that of the page before, whose entries are texts. */
export function readInspector(text: string, { document }: Begin): Reading {
  const entries = Array.isArray(document) ? document : [];
  const begin: unknown = entries[0];
  const trace = new RebuiltTrace(isObject(begin) ? timeOf(begin.timestamp) : null, 'The history ends here.');
  const unsupported: Reading['unsupported'] = [];
  for (const [index, written] of elementTexts(text).entries()) {
    const entry = parsed(written);
    const message = memberText(written, ['message']);
    if (typeof entry.request === 'string') {
      addText(trace, 'out', entry.request);
      if (typeof entry.response === 'string') addText(trace, 'in', entry.response);
    } else if (message !== null && isObject(entry.message)) {
      trace.goTo(timeOf(entry.timestamp));
      const isOfServer = entry.origin === 'server' || (entry.origin === undefined && isSentByServer(entry));
      trace.message(isOfServer ? 'in' : 'out', message);
      if (typeof entry.duration === 'number') trace.pass(entry.duration);
      trace.message(isOfServer ? 'out' : 'in', memberText(written, ['response']));
    } else unsupported.push({ ...NO_PLACE, message: `entry ${index + 1} has no message, and is left out` });
  }
  return {
    trace,
    unsupported,
    server: { name: 'MCP Inspector', transport: 'stdio', command: 'mcp-inspector', args: [] },
  };
}

/** Without an origin: notifications are mostly the server's, and a lone response is. */
const isSentByServer = ({ direction, message }: Record<string, unknown>): boolean =>
  direction === 'response' ||
  (direction === 'notification' &&
    isObject(message) &&
    !['notifications/initialized', 'notifications/cancelled', 'notifications/roots/list_changed'].includes(
      methodOf(JSON.stringify(message)),
    ));

function addText(trace: RebuiltTrace, way: 'in' | 'out', text: string): void {
  const inner = /^".*"$/s.test(text) ? unquoted(text) : text;
  if (isJson(inner)) trace.message(way, inner);
  else trace.noise(way, inner);
}
