// Throws random and damaged bytes at the wire, damaged files at their readers, and at a host small inputs that mean very much work:
// npm run fuzz -- --seed N --frames N --chunks N --files N --heavy N
import { parseArgs } from 'node:util';
import { fuzzFiles } from '#fixtures/fuzz/fuzz-files.ts';
import { fuzzHeavy } from '#fixtures/fuzz/fuzz-heavy.ts';
import { fuzzStdio } from '#fixtures/fuzz/fuzz-stdio.ts';
import { countDifferent, fuzzStreams } from '#fixtures/fuzz/fuzz-streams.ts';
import type { Crossed } from '#fixtures/fuzz/on-record.ts';
import { newSeed } from '#fixtures/fuzz/random.ts';

/** Work of one server: each has a seed of its own, so that what fails is repeated quickly. */
const FRAMES_A_SERVER = 50_000;
const CHUNKS_A_SERVER = 10_000;
/** Milliseconds within which the engine answers while it works. */
const LONGEST_WAIT = 1000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(newSeed()) },
    frames: { type: 'string', default: '1000000' },
    chunks: { type: 'string', default: '100000' },
    /** Test files, lock files, and files of other tools, each with a seed of its own. */
    files: { type: 'string', default: '10000' },
    /** 0 leaves out the inputs that stand for very much work. */
    heavy: { type: 'string', default: '1' },
  },
});
const [seed, frames, chunks, files, heavy] = [
  values.seed,
  values.frames,
  values.chunks,
  values.files,
  values.heavy,
].map(wholeNumber);
console.log(`npm run fuzz -- --seed ${seed} --frames ${frames} --chunks ${chunks} --files ${files}`);

let failures = 0;
for (const [ownSeed, count] of servers(seed ?? 0, frames ?? 0, FRAMES_A_SERVER)) {
  const { sent, recorded, rows, isAnswered, endedCleanly } = await fuzzStdio(ownSeed, count);
  report(`--seed ${ownSeed} --frames ${count} --chunks 0 --files 0`, [sent], [recorded], rows, {
    'what is on record is not what was sent': sent.sha256 === recorded.sha256,
    'the ping after it all was not answered': isAnswered,
    'the server did not end cleanly': endedCleanly,
  });
}
for (const [ownSeed, count] of servers(seed ?? 0, chunks ?? 0, CHUNKS_A_SERVER)) {
  const { sent, recorded, rows, answered, faults } = await fuzzStreams(ownSeed, count);
  const different = countDifferent({ sent, recorded });
  report(`--seed ${ownSeed} --frames 0 --chunks ${count} --files 0`, sent, recorded, rows, {
    [`${different} streams are not on record as they were sent`]: different === 0,
    [`${sent.length - answered} requests were not answered`]: answered === sent.length,
    [faults.map(({ what }) => what).join(' ')]: faults.length === 0,
  });
}
if (files !== undefined && files > 0) {
  const outcome = await fuzzFiles(seed ?? 0, files);
  failures += outcome.failures.length;
  const mark = outcome.failures.length > 0 ? '✗' : '✓';
  console.log(
    `${mark} ${outcome.read.toLocaleString('en')} damaged files, ${outcome.accepted.toLocaleString('en')} of them valid`,
  );
  for (const failure of outcome.failures) console.log(failure);
}
if (heavy !== undefined && heavy > 0) {
  for await (const { name, longestWait, took, fault } of fuzzHeavy()) {
    const isTooLong = longestWait > LONGEST_WAIT;
    if (isTooLong) failures++;
    console.log(
      `${isTooLong ? '✗' : '✓'} ${name}: app/info after at most ${longestWait} ms, in ${took} ms of work; ${fault ?? 'a result'}`,
    );
  }
}
if (failures > 0) process.exitCode = 1;

/** Prints a line about one server: what was asked of it, and which of these are not so. */
function report(
  asked: string,
  sent: readonly Crossed[],
  recorded: readonly Crossed[],
  rows: number,
  checks: Readonly<Record<string, boolean>>,
): void {
  const bytes = (all: readonly Crossed[]) =>
    all.reduce((sum, { size }) => sum + size, 0).toLocaleString('en');
  const wrong = Object.keys(checks).filter((name) => checks[name] === false);
  if (wrong.length > 0) failures++;
  const sizes = `${bytes(sent)} bytes sent, ${bytes(recorded)} on record in ${rows.toLocaleString('en')} rows`;
  console.log([`${wrong.length > 0 ? '✗' : '✓'} ${asked}: ${sizes}`, ...wrong].join('; '));
}

/** Shares the work among servers; the first has the seed itself. */
function* servers(firstSeed: number, all: number, most: number): Generator<[seed: number, count: number]> {
  for (let done = 0; done * most < all; done++) yield [firstSeed + done, Math.min(most, all - done * most)];
}

function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${text} is no whole number`);
  return Number(text);
}
