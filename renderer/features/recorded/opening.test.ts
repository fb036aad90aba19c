import { expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { MAX_RECEIVED_BYTES } from '#shared/contract/traces.ts';
import { sendFile } from './opening.ts';

/** Every byte value, over two and a half pieces. */
const bytes = Uint8Array.from({ length: MAX_RECEIVED_BYTES * 2.5 }, (_, place) => (place * 7) % 256);

test('hands over a file piece by piece, in order and in full', async () => {
  const kept: Buffer[] = [];
  const engine = fakeEngine({
    'traces/receive': ({ base64, isLast }) => {
      kept.push(Buffer.from(base64, 'base64'));
      return { transferId: 't1', path: isLast ? '/data/traces/a.mcptrace' : null };
    },
  });
  const shares: number[] = [];
  const path = await sendFile(new File([bytes], 'a.mcptrace'), (share) => shares.push(share));
  expect(path).toBe('/data/traces/a.mcptrace');
  expect(Buffer.concat(kept).equals(Buffer.from(bytes))).toBe(true);
  expect(engine.asked('traces/receive')).toMatchObject([
    { transferId: null, name: 'a.mcptrace', isLast: false },
    { transferId: 't1', isLast: false },
    { transferId: 't1', isLast: true },
  ]);
  expect(shares).toEqual([0.4, 0.8]);
});

test('an empty file is handed over too: the engine says what is wrong with it', async () => {
  const engine = fakeEngine({ 'traces/receive': () => ({ transferId: 't1', path: '/a' }) });
  await sendFile(new File([], 'empty'), () => undefined);
  expect(engine.asked('traces/receive')).toEqual([
    { transferId: null, name: 'empty', base64: '', isLast: true },
  ]);
});
