import zlib, {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
} from 'node:zlib';
import type { Transform } from 'node:stream';
import type { HeaderLines, HttpFailure } from '#shared/trace/record.ts';
import { formatBytes } from '#shared/format.ts';
import { messageOf } from '#shared/contract/fault.ts';
import { isText } from './decode-body.ts';

/** Node has it from 22.15 on. */
const createZstdDecompress: typeof zlib.createZstdDecompress | undefined = zlib.createZstdDecompress;

// Each write is flushed: an event of a stream is there as soon as its bytes are.
const flush = constants.Z_SYNC_FLUSH;

/** The codings that are decoded (RFC 9110 section 8.4.1, RFC 8878). `deflate` is sent with and without its header. */
const codings: ReadonlyMap<string, (first: number) => Transform> = new Map<
  string,
  (first: number) => Transform
>([
  ['gzip', () => createGunzip({ flush })],
  ['deflate', (first) => ((first & 0x0f) === 8 ? createInflate({ flush }) : createInflateRaw({ flush }))],
  ['br', () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })],
  ...(createZstdDecompress === undefined
    ? []
    : ([['zstd', () => createZstdDecompress({ flush: constants.ZSTD_e_flush })]] as const)),
]);

/** The value of `Accept-Encoding`: the codings that are decoded here. */
export const acceptedCodings: string = [...codings.keys()].join(', ');

/** Limit of codings of one response. */
const MAX_CODINGS = 4;

/** The codings of a body in the order in which they were applied; empty if it has none. */
export function codingsOf(headers: HeaderLines): string[] {
  return headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim().replace(/^x-gzip$/, 'gzip'))
    .filter((name) => name !== '' && name !== 'identity');
}

/** Whether a body with these headers can be decoded, or has no coding. */
export const isDecodable = (headers: HeaderLines): boolean => {
  const named = codingsOf(headers);
  return named.length <= MAX_CODINGS && named.every((name) => codings.has(name));
};

/** The code of a body that cannot be decoded, and of one that becomes too large. */
export const DAMAGED_CODING = 'CONTENT_ENCODING';
export const TOO_LARGE = 'CONTENT_TOO_LARGE';

/** A body may always become this large; a larger one only if it is not mostly made of repetitions. */
const ALWAYS_ALLOWED = 32 * 1024 * 1024;
const MAX_RATIO = 100;

/** Bytes kept of a body until it is known whether it is encoded at all. */
const MAX_HELD = 64 * 1024;

/** Where a decoder reports. */
interface DecoderSink {
  readonly decoded: (bytes: Buffer) => void;
  /** The body cannot be decoded any further. Called at most once. */
  readonly failed: (failure: HttpFailure) => void;
}

/** Decodes a body as it arrives (RFC 9110 section 8.4). Some servers name a coding that the body does not have: such a body is passed on as it came. */
export class ContentDecoder {
  readonly #names: readonly string[];
  readonly #sink: DecoderSink;
  #stages: readonly Transform[] = [];
  /** What was written and not read yet. */
  #pending: Buffer[] = [];
  /** All that was written, while nothing has come out. */
  #held: Buffer[] = [];
  #size = 0;
  #decodedSize = 0;
  #isPlain = false;
  #isEnding = false;
  #hasFailed = false;
  #onIdle: (() => void)[] = [];
  #onEnd: () => void = () => {};

  /** Null for a body without a coding, or with one that is not known here: it is recorded as it came. */
  static of(headers: HeaderLines, sink: DecoderSink): ContentDecoder | null {
    const names = codingsOf(headers);
    return names.length > 0 && isDecodable(headers) ? new ContentDecoder(names, sink) : null;
  }

  private constructor(names: readonly string[], sink: DecoderSink) {
    this.#names = names.toReversed();
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0 || this.#hasFailed) return;
    if (this.#isPlain) return this.#sink.decoded(bytes);
    if (this.#stages.length === 0) this.#open(bytes[0] ?? 0);
    this.#size += bytes.length;
    this.#pending.push(bytes);
    if (this.#decodedSize === 0 && this.#size <= MAX_HELD) this.#held.push(bytes);
    this.#stages[0]?.write(bytes, (error) => {
      // The bytes that could not be read stay among those that are pending.
      if (error) return;
      this.#pending.shift();
      if (this.#pending.length === 0) this.#settle();
    });
  }

  /** Resolves when all that was written so far has been decoded. */
  idle(): Promise<void> {
    if (this.#pending.length === 0 || this.#isDone) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /**
   * Ends the body: resolves when all of it has been decoded.
   *
   * @param isWhole whether it came to its end; otherwise a coding without its end is no failure of its own
   */
  async end(isWhole: boolean): Promise<void> {
    await this.idle();
    if (this.#isDone || this.#stages.length === 0) return;
    this.#isEnding = !isWhole;
    await new Promise<void>((resolve) => {
      this.#onEnd = resolve;
      this.#stages[0]?.end();
    });
    this.#close();
  }

  /** Takes the bytes that were not decoded. */
  takeRest(): Buffer {
    const rest = Buffer.concat(this.#pending);
    this.#pending = [];
    return rest;
  }

  get #isDone(): boolean {
    return this.#hasFailed || this.#isPlain;
  }

  #open(first: number): void {
    this.#stages = this.#names.flatMap((name) => codings.get(name)?.(first) ?? []);
    for (const [index, stage] of this.#stages.entries()) {
      // Each stage is limited: most of what one of them writes may be blocks without content, of which nothing comes out.
      let written = 0;
      stage.on('data', (bytes: Buffer) => {
        written += bytes.length;
        this.#limit(written);
      });
      stage.on('error', (error) => this.#errorCame(error, this.#names[index] ?? ''));
      const next = this.#stages[index + 1];
      if (next !== undefined) stage.pipe(next);
    }
    const last = this.#stages.at(-1);
    last?.on('data', (bytes: Buffer) => this.#decoded(bytes));
    last?.on('end', () => this.#onEnd());
  }

  #decoded(bytes: Buffer): void {
    if (this.#hasFailed) return;
    this.#held = [];
    this.#decodedSize += bytes.length;
    this.#sink.decoded(bytes);
  }

  /** Fails if a stage has written too many bytes. */
  #limit(written: number): void {
    if (this.#hasFailed || written <= ALWAYS_ALLOWED || written <= MAX_RATIO * this.#size) return;
    const large = `${formatBytes(this.#size)} of the body became more than ${formatBytes(written)}`;
    this.#fail({ step: 'body', code: TOO_LARGE, message: large });
  }

  #errorCame(error: Error, name: string): void {
    if (this.#isDone) return;
    const held = Buffer.concat(this.#held);
    if (this.#decodedSize === 0 && held.length === this.#size && isText(held)) {
      this.#isPlain = true;
      this.#pending = [];
      this.#sink.decoded(held);
      return this.#close();
    }
    // The connection broke off inside the body, which is the failure.
    if (this.#isEnding) return this.#close();
    const said = messageOf(error);
    const isCut = /unexpected end|Z_BUF_ERROR/i.test(said);
    const message = isCut
      ? `the ${name} of the body has no end`
      : `the ${name} of the body is damaged: ${said}`;
    this.#fail({ step: 'body', code: DAMAGED_CODING, message });
  }

  #fail(failure: HttpFailure): void {
    this.#hasFailed = true;
    this.#close();
    this.#sink.failed(failure);
  }

  #close(): void {
    for (const stage of this.#stages) stage.destroy();
    this.#settle();
    this.#onEnd();
  }

  #settle(): void {
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
