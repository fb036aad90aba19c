import { causeInOutput } from '#session/diagnosis/output-causes.ts';
import { crashIn } from '#trace/crash-in-output.ts';
import { isJson } from '#shared/json/tokens.ts';
import { isLoopback } from '#shared/loopback.ts';
import type { Connection } from '#session/connection.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Remedy } from '#shared/contract/sessions.ts';
import { formatQuantity, truncate } from '#shared/format.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import { quoteText, readableText } from '#transports/quote.ts';
import type { WireEvent } from '#transports/transport.ts';

/** Why a session could not be opened, and suggested fixes. */
export class OpenFault extends FaultError {
  override readonly name = 'OpenFault';
  readonly remedies: readonly Remedy[];

  constructor(fault: Fault, remedies: readonly Remedy[]) {
    super(fault);
    this.remedies = remedies;
  }
}

/** The server refused our revision, and speaks only these. */
export function noCommonRevision(asked: string, supported: readonly string[]): OpenFault {
  const list = supported.length === 0 ? 'none' : supported.join(', ');
  return new OpenFault(
    {
      code: 'revision-refused',
      what: `The server does not speak revision ${asked}.`,
      why: `It says that it supports ${list}.`,
      next: 'Connect with one of the revisions it supports.',
    },
    supported.map((revision) => ({ kind: 'revision', revision })),
  );
}

/** Suggested fixes after a session could not be opened over this connection. */
export function remediesFor({ refusedCertificate, target }: Connection): Remedy[] {
  if (refusedCertificate === null || target.kind !== 'http') return [];
  const { fingerprint, subject, issuer } = refusedCertificate;
  // A click is enough on this machine. For another one it would accept any server that answers in its place.
  return isLoopback(new URL(target.url))
    ? [{ kind: 'accept-certificate', fingerprint, subject }]
    : [{ kind: 'compare-certificate', fingerprint, subject, issuer }];
}

/** Bytes kept of the beginning of the output, and how much of them a fault quotes. */
const MAX_KEPT = 8192;
const MAX_QUOTED = 500;
const NEWLINE = Buffer.from('\n');

/** What a server printed instead of a response. */
export interface ReceivedText {
  /** How many bytes were received, and what they are, in one sentence. */
  readonly what: string;
  /** What to change in the server; null if unknown. */
  readonly next: string | null;
  /** How the output begins. */
  readonly quote: string;
  /** A longer beginning of the output, up to a few kilobytes. */
  readonly text: string;
}

/** The cause that a server names in what it printed; null if it names none. */
export const namedCause = (received: ReceivedText | null, stderr: readonly string[]) =>
  causeInOutput([...stderr, received?.text ?? ''].join('\n'));

/** A server ended before it answered. `unexplained`: what to try if it left no word. */
export function endedBeforeAnswer(
  ended: string,
  received: ReceivedText | null,
  stderr: readonly string[],
  unexplained: { readonly why: string; readonly next: string },
): Fault {
  const cause = namedCause(received, stderr);
  const crash = crashIn(stderr.join('\n'));
  const quoted = received === null ? [] : [`Standard output begins:\n${received.quote}`];
  const evidence = [...quoted, stderr.join('\n')].filter((text) => text !== '').join('\n\n');
  const isSilent = stderr.length === 0;
  const why = cause?.why ?? received?.what ?? (isSilent ? unexplained.why : 'Its last words are below.');
  return {
    code: 'ended-before-initialize',
    what: crash ?? ended,
    // The cause of a crash may be just the line that is the headline.
    why: crash === null ? why : why.includes(crash) ? ended : `${ended} ${why}`,
    next: cause?.next ?? (isSilent ? unexplained.next : RUN_IT),
    ...(evidence !== '' && { evidence }),
    ...(crash !== null && { showsEvidence: true as const }),
  };
}

/** The advice for a server that ended with words that nobody here understands. */
export const RUN_IT =
  'Run the command in a terminal to see whether it starts, and check its arguments, working folder and environment.';

/** Collects the standard output of a server, to explain why it contains no response. */
export class ReceivedOutput {
  readonly #redacted: (text: string) => string;
  // All of the last process.
  #bytes = 0;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #messages = 0;
  /** Whether the last line has no newline so far. */
  #isOpen = false;

  /** @param redacted replaces secrets in quotes */
  constructor(redacted: (text: string) => string) {
    this.#redacted = redacted;
  }

  /** Adds an event of the transport, with the messages it completed. */
  add(event: WireEvent, recorded: readonly RecordedMessage[]): void {
    if (event.kind === 'process' && event.change.what === 'spawn') this.#reset();
    if (event.kind !== 'message-bytes' || event.channel !== 'stdout') return;
    this.#keep(event.bytes);
    this.#isOpen = event.more || event.cut;
    if (!this.#isOpen) this.#keep(NEWLINE);
    for (const { envelope } of recorded) if ('message' in envelope) this.#messages++;
  }

  /**
   * The fault of a server that puts headers before its messages, once a message is there that has no newline: none of them will ever end.
   * Null for any other output.
   */
  get framed(): Fault | null {
    if (!this.#isOpen) return null;
    const text = Buffer.concat(this.#kept).toString();
    if (!FRAME.test(text) || !isJson(text.slice(text.lastIndexOf('\n') + 1))) return null;
    const { is, next } = FRAMED;
    const quote = quoteText(text, this.#redacted, this.#keptBytes >= MAX_KEPT);
    return {
      code: 'framed-output',
      what: `The server answered, but ${is}.`,
      ...(quote !== undefined && { quote }),
      why: 'Its messages have no newline at their end, so no client can tell where one ends.',
      next,
    };
  }

  /** Describes the output; null if there is none. */
  explain(): ReceivedText | null {
    if (this.#bytes === 0) return null;
    const kept = Buffer.concat(this.#kept);
    const text = readableText(kept);
    const { is, next } = kept.includes(0) ? UTF_16 : this.#classify(text);
    // Redacts before cutting, so that no secret is split.
    const redacted = this.#redacted(text);
    const quote = truncate(redacted, MAX_QUOTED);
    return {
      what: `${formatQuantity(this.#bytes, 'byte')} came, but no answer: ${is}.`,
      next,
      quote,
      text: redacted,
    };
  }

  #reset(): void {
    this.#bytes = 0;
    this.#kept = [];
    this.#keptBytes = 0;
    this.#messages = 0;
    this.#isOpen = false;
  }

  #keep(bytes: Buffer): void {
    this.#bytes += bytes.length;
    const room = MAX_KEPT - this.#keptBytes;
    if (room <= 0) return;
    // A copy, because chunks may share a large buffer.
    this.#kept.push(Buffer.from(bytes.subarray(0, room)));
    this.#keptBytes += Math.min(room, bytes.length);
  }

  #classify(text: string): { is: string; next: string | null } {
    if (FRAME.test(text)) return FRAMED;
    if (isPretty(text)) {
      return {
        is: 'it prints its JSON over several lines (pretty-printed), and each line must be a whole message',
        next: 'Have it write each message on one line, such as with JSON.stringify(message) without an indent.',
      };
    }
    if (this.#isOpen) {
      const last = text.slice(text.lastIndexOf('\n') + 1);
      return {
        is: isJson(last)
          ? 'the message has no newline at its end, so it may still go on'
          : 'its last line has no newline at its end',
        next: 'Have it end each message with a newline, and flush its output.',
      };
    }
    if (this.#messages > 0) {
      return {
        is: `${formatQuantity(this.#messages, 'message')} came, and none of them answers`,
        next: null,
      };
    }
    return {
      is: 'nothing of it is a message',
      next: 'Print logs to standard error; only messages may be written to standard output.',
    };
  }
}

/** Headers before messages (Language Server Protocol, base protocol). */
const FRAME = /^[ \t]{0,9}content-length[ \t]{0,9}:/im;
const FRAMED = {
  is: 'it frames its messages with Content-Length headers, as the Language Server Protocol (LSP) does',
  next: 'Have it write each message as one line of JSON that ends with a newline (MCP transports, stdio).',
} as const;

/** What Windows programs write whose console is set to it, and PowerShell when its output is piped. */
const UTF_16 = {
  is: 'it is UTF-16 text, or other text with zero bytes, and messages must be UTF-8',
  next: 'Have it write UTF-8 without a byte order mark, such as with Console.OutputEncoding = new UTF8Encoding(false) in .NET and PowerShell.',
} as const;

/** Whether the output is JSON over several lines. */
function isPretty(text: string): boolean {
  const lines = text.trim().split('\n');
  const [first = ''] = lines;
  return lines.length > 1 && /^[[{]/.test(first) && !isJson(first) && /^[\s"\]}]/.test(lines[1] ?? '');
}
