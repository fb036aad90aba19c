import type { Readable } from 'node:stream';
import { Lines } from '#replay/mock/stdio-server.ts';
import { type LatencyRule, wait } from '#replay/mock/latency.ts';
import { type ByteExchange, type ByteSummary, MAX_QUOTED } from './byte-report.ts';
import { Gate, isSameText } from './gate.ts';
import type { RecordedLine, StdioAct, WireRecording } from './wire-recording.ts';

/** The standard streams of the process, and how it ends. */
export interface ProcessOutputs {
  /** Resolves once the bytes are handed to the system. */
  write(stream: 'stdout' | 'stderr', bytes: Buffer): Promise<void>;
  closeStdout(): void;
  /** Ends the process as the recorded one ended. */
  die(code: number | null, signal: string | null): void;
}

interface ByteOptions {
  readonly latency: LatencyRule;
  readonly signal: AbortSignal;
  readonly onExchange: (exchange: ByteExchange) => void;
}

/**
 * Serves a recording on standard input and output byte by byte: each piece is written once the client has sent as many lines as
 * the recording has before it. Resolves when the client has closed its end.
 */
export async function serveBytesOnStdio(
  recording: WireRecording,
  input: Readable,
  outputs: ProcessOutputs,
  { latency, signal, onExchange }: ByteOptions,
): Promise<ByteSummary> {
  const gate = new Gate(recording.lines);
  const counts = { exact: 0, inexact: 0, miss: 0 };
  const take = (line: string): void => {
    if (line.trim() === '') return;
    const exchange = received(line, gate);
    counts[exchange.match]++;
    onExchange(exchange);
  };
  const lines = new Lines(take);
  input.on('data', (bytes: Buffer) => lines.push(bytes));
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve).once('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  }).then(() => lines.end());
  const stop = new AbortController();
  // What the recorded server wrote after lines that do not come is not written.
  const over = ended.then(() => stop.abort());
  const played = play(recording, gate, outputs, { latency, signal: stop.signal });
  await Promise.race([over, played]);
  await over;
  await played;
  input.destroy();
  return {
    exact: counts.exact,
    inexact: counts.inexact,
    misses: counts.miss,
    unused: gate.missing().map(({ text }) => text.slice(0, MAX_QUOTED)),
    placeholders: recording.placeholders,
  };
}

/** Lines ahead that are searched for an equal one. */
const MAX_AHEAD = 100;

/** Takes a line for the recorded one that is equal, else for the next. */
function received(line: string, gate: Gate<RecordedLine>): ByteExchange {
  const missing = gate.missing(MAX_AHEAD);
  const same = missing.find(({ text }) => isSameText(text, line));
  const recorded = same ?? missing[0];
  if (recorded === undefined) return { asked: line, match: 'miss', recorded: null };
  gate.come(recorded);
  return { asked: line, match: same === undefined ? 'inexact' : 'exact', recorded: recorded.text };
}

async function play(
  { stdio, lines }: WireRecording,
  gate: Gate<RecordedLine>,
  outputs: ProcessOutputs,
  { latency, signal }: { readonly latency: LatencyRule; readonly signal: AbortSignal },
): Promise<void> {
  const aborted = new Promise<'aborted'>((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  let previous = stdio[0]?.at ?? 0;
  let place = 0;
  for (const { act, at, seq } of stdio) {
    await Promise.race([gate.passed(seq), aborted]);
    // What has come lets everything pass that followed it, even after the end of the input.
    if (!gate.isPassed(seq)) return;
    for (let line = lines[place]; line !== undefined && line.seq < seq; line = lines[++place])
      previous = Math.max(previous, line.at);
    await wait(latency, at - previous, signal);
    previous = at;
    await perform(act, outputs);
  }
}

async function perform(act: StdioAct, outputs: ProcessOutputs): Promise<void> {
  switch (act.do) {
    case 'write':
      return outputs.write(act.stream, act.bytes);
    case 'close-stdout':
      return outputs.closeStdout();
    case 'exit':
      return outputs.die(act.code, act.signal);
  }
}
