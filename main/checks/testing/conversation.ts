import type { Finding } from '#shared/contract/checks.ts';
import { HttpRecording } from '#trace/testing/http-recording.ts';
import { Checks } from '#checks/checks.ts';

/** What both sides say on a real trace that is looked at, and what is found wrong with it. */
export class Conversation {
  readonly recording: HttpRecording;

  private constructor(recording: HttpRecording) {
    this.recording = recording;
  }

  static async begin(): Promise<Conversation> {
    return new Conversation(await HttpRecording.begin({ inspect: (columns) => new Checks(columns) }));
  }

  /** A message without its `jsonrpc`, or a text as it is; gives its row. Over stdio. */
  client(message: object | string, origin: 'user' | 'automatic' | 'probe' = 'user'): number {
    return this.#say('out', message, { origin });
  }

  server(message: object | string | Buffer, facts: { cut?: true } = {}): number {
    return this.#say('in', message, facts);
  }

  /** Opens a session of the legacy era. */
  initialize(revision = '2025-06-18', answered = revision): void {
    this.client({ id: 0, method: 'initialize', params: initializeParams(revision) });
    this.server({ id: 0, result: initializeResult(answered) });
    this.client({ method: 'notifications/initialized' });
  }

  get findings(): Finding[] {
    const { findings } = this.recording.trace;
    return findings.page(0, findings.count);
  }

  /** The rules that were broken, and the first row of each. */
  get broken(): string[] {
    return this.findings.map(({ rule, rows: [row] }) => `${row} ${rule}`);
  }

  get rules(): string[] {
    return this.findings.map(({ rule }) => rule);
  }

  close(): Promise<void> {
    return this.recording.close();
  }

  #say(direction: 'in' | 'out', message: object | string | Buffer, facts: object): number {
    const row = this.recording.trace.index.columns.count;
    const channel = direction === 'in' ? 'stdout' : 'stdin';
    this.recording.piece({ direction, channel, ...facts }, wireText(message));
    return row;
  }
}

const wireText = (message: object | string | Buffer): string | Buffer => {
  if (typeof message === 'string' || Buffer.isBuffer(message)) return message;
  return JSON.stringify(Array.isArray(message) ? message.map(asMessage) : asMessage(message));
};

const asMessage = (message: object): object => ({ jsonrpc: '2.0', ...message });

export const initializeParams = (protocolVersion: unknown): object => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'client', version: '1' },
});

export const initializeResult = (protocolVersion: unknown): object => ({
  protocolVersion,
  capabilities: { tools: {}, logging: {} },
  serverInfo: { name: 'server', version: '1' },
});

/** `_meta` of a request of the modern era. */
export const modernMeta = (revision = '2026-07-28'): object => ({
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': {},
});
