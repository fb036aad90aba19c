// Throws random and damaged bytes at the wire: npm run fuzz -- --seed N --frames N --chunks N
import { parseArgs } from 'node:util';
import { fuzzStdio } from '#fixtures/fuzz/fuzz-stdio.ts';
import { newSeed } from '#fixtures/fuzz/random.ts';

/** Frames of one server: each has a seed of its own, so that what fails is repeated quickly. */
const FRAMES_A_SERVER = 50_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(newSeed()) },
    frames: { type: 'string', default: '1000000' },
    chunks: { type: 'string', default: '100000' },
  },
});
const seed = Number(values.seed);
console.log(`npm run fuzz -- --seed ${seed} --frames ${values.frames} --chunks ${values.chunks}`);

let failures = 0;
for (const [part, size] of parts(Number(values.frames), FRAMES_A_SERVER)) {
  const { sent, recorded, isAnswered, endedCleanly, rows } = await fuzzStdio(seed + part, size);
  const isWhole = sent.size === recorded.size && sent.sha256 === recorded.sha256;
  const isFine = isWhole && isAnswered && endedCleanly;
  if (!isFine) failures++;
  console.log(
    `${isFine ? '✓' : '✗'} --seed ${seed + part} --frames ${size} --chunks 0: ${sent.size} bytes sent, ` +
      `${recorded.size} on record${isWhole ? '' : ', not the same'}, ${rows} rows` +
      `${isAnswered ? '' : ', the ping was not answered'}${endedCleanly ? '' : ', it did not end cleanly'}`,
  );
}
if (failures > 0) process.exitCode = 1;

/** Cuts the work into parts; the first has the seed itself. */
function* parts(all: number, most: number): Generator<[part: number, size: number]> {
  for (let part = 0; part * most < all; part++) yield [part, Math.min(most, all - part * most)];
}
