import type { ForeignFormat } from '#shared/contract/convert.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { readHar } from './har.ts';
import { readCassetteLines, readClaudeDesktop, readMessages, readSnoop, readVsCode } from './line-formats.ts';
import { readCassetteDocument, readInspector } from './message-lists.ts';
import type { Begin, Reading } from './rebuilt-trace.ts';

/** A format of another tool that becomes a trace. */
interface RebuiltFormat {
  readonly format: ForeignFormat;
  /** What a file of it is, for a sentence. */
  readonly label: string;
  /** What such a file does not say. */
  readonly lacks: readonly string[];
  readonly detects: (begin: Begin) => boolean;
  readonly read: (text: string, begin: Begin) => Reading;
}

const ofLines = 'the bytes around the messages';
const noHttp = 'how HTTP carried the messages';
const noProcess = 'the process of the server';

/** Specific formats come first. */
export const rebuiltFormats: readonly RebuiltFormat[] = [
  {
    format: 'mcpsnoop',
    label: 'a session log of mcpsnoop',
    lacks: [ofLines, 'the headers and timing of HTTP', noProcess],
    detects: ({ first }) =>
      isObject(first) && typeof first.direction === 'string' && 'session_id' in first && 'seq' in first,
    read: readSnoop,
  },
  {
    format: 'mcp-cassette-npm',
    label: 'a cassette of mcp-cassette (npm)',
    lacks: [ofLines, 'standard error', noHttp, noProcess],
    detects: ({ first }) => isObject(first) && first.type === 'header' && 'cassetteVersion' in first,
    read: readCassetteLines,
  },
  {
    format: 'mcp-cassette-pypi',
    label: 'a cassette of mcp-cassette (PyPI)',
    lacks: [ofLines, 'standard error', noHttp, noProcess],
    detects: ({ document }) =>
      isObject(document) && Array.isArray(document.messages) && 'format_version' in document,
    read: readCassetteDocument,
  },
  {
    format: 'har',
    label: 'a HAR file',
    lacks: ['the parts of a stream and their timing', 'standard error', noProcess],
    detects: ({ document }) =>
      isObject(document) && isObject(document.log) && Array.isArray(document.log.entries),
    read: readHar,
  },
  {
    format: 'inspector',
    label: 'the history of the MCP Inspector',
    lacks: [ofLines, 'standard error', noHttp, noProcess],
    detects: ({ document }) =>
      Array.isArray(document) &&
      document.some(
        (one) =>
          isObject(one) && ((isObject(one.message) && 'direction' in one) || typeof one.request === 'string'),
      ),
    read: readInspector,
  },
  {
    format: 'jsonl',
    label: 'a list of bare messages',
    lacks: ['times', 'directions, which were found by the methods', 'the transport', 'standard error'],
    detects: ({ first, document }) => isMessage(first) || isMessage(document),
    read: readMessages,
  },
  {
    format: 'claude-desktop',
    label: 'a log of Claude Desktop',
    lacks: [ofLines, 'which lines are of standard error', noProcess],
    detects: ({ line }) => /^\d{4}-\d\d-\d\dT[\d:.]{8,16}Z (?:\[[^\]]*\] ){1,2}/.test(line),
    read: readClaudeDesktop,
  },
  {
    format: 'vscode',
    label: 'an MCP log of VS Code',
    lacks: [ofLines, 'the zone of its times', noHttp, noProcess],
    detects: ({ line }) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \[[a-z]{1,10}\] /.test(line),
    read: readVsCode,
  },
];

function isMessage(value: unknown): boolean {
  const [first]: unknown[] = Array.isArray(value) ? value : [value];
  return isObject(first) && first.jsonrpc === '2.0';
}
