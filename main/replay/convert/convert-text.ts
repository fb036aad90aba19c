import type { Converted } from '#shared/contract/convert.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { testFileFault } from '#shared/contract/saved-calls.ts';
import { isNestedDeeper } from '#shared/json/tokens.ts';
import type { TraceHeader } from '#shared/trace/record.ts';
import { convertAssertion } from './mcp-assert.ts';
import { convertCassette } from './mcp-recorder.ts';
import { rebuiltFormats } from './rebuilt-formats.ts';
import type { Begin, RedactTexts } from './rebuilt-trace.ts';

export interface TextToConvert {
  /** Of the file, for its errors. */
  readonly name: string;
  readonly text: string;
  readonly appVersion: string;
}

/** Nesting levels of a file that is read; no file of another tool needs as many. */
const DEEPEST = 500;

/** Converts a file of another tool. @throws FaultError if it is not such a file */
export function convertText(
  { name, text: given, appVersion }: TextToConvert,
  redact: RedactTexts,
): Converted {
  const text = given.replace(/^\ufeff/, '');
  const begin = beginOf(text);
  const known = rebuiltFormats.find(({ detects }) => detects(begin));
  if (known !== undefined) {
    const { format, label, lacks } = known;
    const { trace, server, unsupported } = known.read(text, begin);
    if (trace.messages === 0) throw new FaultError(noMessages(name, label));
    const written = trace.write(
      { appVersion, server: withoutSecrets(server, redact), rebuilt: { from: label, lacks: [...lacks] } },
      redact,
    );
    const entries = trace.messages;
    return { format, ending: '.mcptrace', text: written, entries, lacks: [...lacks], unsupported };
  }
  // A cassette is JSON, an assertion YAML.
  const isCassette = /^\s*\{/.test(text);
  const read = isCassette ? convertCassette(text, appVersion, redact) : convertAssertion(name, text);
  if (read.ok) return read.value;
  throw new FaultError({
    ...testFileFault(name, read.errors),
    code: 'bad-foreign-file',
    next: 'docs/comparing.md lists the files that can be converted.',
  });
}

function beginOf(text: string): Begin {
  const line = /^\s*(\S[^\r\n]*)/.exec(text)?.[1] ?? '';
  const document = /^\s*[[{]/.test(text) ? jsonOf(text) : undefined;
  return { line, document, first: document === undefined ? jsonOf(line) : document };
}

function jsonOf(text: string): unknown {
  if (isNestedDeeper(text, DEEPEST)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A command line or an address may hold a key. */
function withoutSecrets(server: TraceHeader['server'], redact: RedactTexts): TraceHeader['server'] {
  if (server.transport === 'http') return server;
  return { ...server, args: server.args.map(redact.text) };
}

const noMessages = (name: string, label: string) => ({
  code: 'bad-foreign-file',
  what: `${name} is ${label}, and has no message of MCP.`,
  next: 'Choose another file, or record the session with more details.',
});
