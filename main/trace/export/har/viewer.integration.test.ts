import { expect, test } from 'vitest';
import { drawHar, hasViewer } from '#fixtures/har-viewer.ts';
import { harTextOf, recordSorts } from '#fixtures/trace/har-files.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';

test.skipIf(!hasViewer())('a viewer of HAR files draws every exchange', async () => {
  const recording = await HttpRecording.begin();
  recordSorts(recording);
  const text = await harTextOf(recording.trace);
  await recording.close();
  const { rows, failures } = await drawHar(text);
  expect(failures).toEqual([]);
  expect(rows.map(({ text: drawn }) => drawn)).toEqual([
    expect.stringContaining('127.0.0.1:3000/mcp?mode=a%20b'),
    ...[2, 3, 4].map((place) => expect.stringMatching(new RegExp(`${place}127\\.0\\.0\\.1:3000/mcp`))),
    expect.stringContaining('@[::1]:8443/a%5Bb%5D'),
  ]);
  expect(rows.map((row) => row.bars > 0)).toEqual([true, true, true, true, true]);
});
