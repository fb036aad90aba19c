import { fstatSync } from 'node:fs';

/**
 * Runners of CI systems take some of what a step prints as commands: GitHub Actions (and Gitea, Forgejo) a line that begins with
 * `::`, and `##[` anywhere in a line; Azure Pipelines and TeamCity `##vso[` and `##teamcity[`. What a server or a file says must
 * not become one.
 */

/** Variables that runners set. */
const runnerVariables = ['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'];

type WriteCallback = (error?: Error | null) => void;

interface OutputStream {
  readonly fd: number;
  /** The overloads of Node's `stream.write` in one. */
  write(
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | WriteCallback,
    callback?: WriteCallback,
  ): boolean;
}

const streams: Readonly<Record<StreamName, OutputStream>> = process;

type StreamName = 'stdout' | 'stderr';

/** What a guarded stream was written with before. */
const guarded = new Map<StreamName, OutputStream['write']>();

/** Guards both streams where a runner reads them. */
export function guardRunner(): void {
  if (runnerVariables.some((name) => (process.env[name] ?? '') !== '')) guardStreams();
}

/** Lets nothing that is written to stdout or stderr from now on be a command of a runner, no matter which module writes it. */
export function guardStreams(): void {
  for (const name of ['stdout', 'stderr'] as const) {
    // A file is not read by the runner, and gets what was written as it is.
    if (guarded.has(name) || isFile(name)) continue;
    const stream = streams[name];
    const write = stream.write.bind(stream);
    const filter = new CommandFilter();
    guarded.set(name, write);
    stream.write = (chunk, ...rest) => write(filter.withoutCommands(chunk), ...rest);
  }
}

/** Stops guarding a stream that is no output for people, such as the stdout of a server on stdio. */
export function releaseStream(name: StreamName): void {
  const write = guarded.get(name);
  if (write !== undefined) streams[name].write = write;
  guarded.delete(name);
}

/**
 * Writes commands of our own to stdout.
 *
 * @param lines whole lines, the last with its end
 */
export function writeCommands(lines: string, onWritten: WriteCallback): void {
  const write = guarded.get('stdout') ?? process.stdout.write.bind(process.stdout);
  write(lines, onWritten);
}

/** A text that a runner takes no command from, wherever it is printed. */
export const withoutCommands = (text: string): string => new CommandFilter().withoutCommands(text);

function isFile(name: StreamName): boolean {
  try {
    return fstatSync(streams[name].fd).isFile();
  } catch {
    return false;
  }
}

/** How much of a command that begins a line was read: nothing yet, its first colon, or that the line has other text. */
type LineState = 'start' | 'colon' | 'text';

/** How much of a command that may be anywhere was read: `#`, or `##` with a part of its name. */
type HashState = 'none' | 'hash' | 'name';

/**
 * Replaces the last character of what begins a command by its JSON escape, so that JSON still means the same. Chunks may end
 * anywhere.
 */
class CommandFilter {
  #line: LineState = 'start';
  #hash: HashState = 'none';

  withoutCommands<Chunk extends string | Uint8Array>(chunk: Chunk): Chunk;
  withoutCommands(chunk: string | Uint8Array): string | Uint8Array {
    // A runner may read both streams as one, so the other one may have ended the line since.
    if (this.#line === 'text') this.#line = 'start';
    if (typeof chunk === 'string') return this.#filter(chunk, isBlank);
    // The bytes may be no UTF-8. All that matters is ASCII, so each byte is taken as a character.
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const shown = this.#filter(text, isBlankByte);
    return shown === text ? chunk : Buffer.from(shown, 'latin1');
  }

  #filter(text: string, isLeading: (character: string) => boolean): string {
    let shown = '';
    let from = 0;
    for (let index = 0; index < text.length; index++) {
      const character = text[index] ?? '';
      if ((this.#line === 'colon' && character === ':') || (this.#hash === 'name' && character === '[')) {
        shown += `${text.slice(from, index)}\\u00${character.charCodeAt(0).toString(16)}`;
        from = index + 1;
        this.#line = 'text';
        this.#hash = 'none';
      } else {
        this.#line = this.#nextLine(character, isLeading);
        this.#hash = this.#nextHash(character);
      }
    }
    return from === 0 ? text : shown + text.slice(from);
  }

  #nextLine(character: string, isLeading: (character: string) => boolean): LineState {
    if (character === '\n' || character === '\r') return 'start';
    if (this.#line !== 'start') return 'text';
    if (character === ':') return 'colon';
    return isLeading(character) ? 'start' : 'text';
  }

  #nextHash(character: string): HashState {
    if (character === '#') return this.#hash === 'none' ? 'hash' : 'name';
    return this.#hash === 'name' && /^[\w.-]$/.test(character) ? 'name' : 'none';
  }
}

/** What runners skip at the start of a line, and what a terminal would not show there. */
const isBlank = (character: string): boolean => /^[\p{White_Space}\p{Cc}\p{Cf}]$/u.test(character);

const isBlankByte = (character: string): boolean => character <= ' ' || character > '~';
