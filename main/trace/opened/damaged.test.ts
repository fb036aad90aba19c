import { chmod, mkdir, readFile, utimes } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linesOf, notifications, traceText, unit } from '#fixtures/trace/trace-text.ts';
import { OpenedFiles } from '#fixtures/engine/opened-files.ts';

let files: OpenedFiles;
beforeAll(async () => {
  files = await OpenedFiles.begin();
});
afterAll(() => files.close());

/** Opened as if nobody had written to it for an hour. */
async function readOld(content: string | Buffer) {
  const path = await files.file(content);
  const then = new Date(Date.now() - 3_600_000);
  await utimes(path, then, then);
  return files.read(path);
}

const summaries = async (sessionId: string) =>
  (await files.engine.rows(sessionId)).map(({ summary }) => summary);

describe('a file that was read in part', () => {
  test('lacks its torn last line, says so, and is left as it is', async () => {
    const content = `${traceText(...notifications(0, 3))}{"seq":3,"at":10,"kind":"un`;
    const opened = await readOld(content);
    expect(opened).toMatchObject({ counts: { rows: 3 }, isGrowing: false, size: content.length });
    const evidence = `27 bytes from byte ${content.length - 27} on`;
    expect(opened.faults).toMatchObject([{ code: 'trace-torn', evidence }]);
    expect(await readFile(opened.path, 'utf8')).toBe(content);
  });

  test('lacks the lines in the middle that are not records, and reports the position of each', async () => {
    const [first, second, third] = notifications(0, 3);
    const content = traceText(
      first ?? '',
      '{"seq":1,"at":',
      'é\u001b[31m',
      second ?? '',
      '{"seq":2,"at":3,"kind":"weather"}',
      '[]',
      third ?? '',
    );
    const opened = await files.readText(content);
    expect(await summaries(opened.sessionId)).toEqual(['info · 0', 'info · 1', 'info · 2']);
    const [fault, ...others] = opened.faults;
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ code: 'trace-damaged', what: expect.stringContaining('4 lines') });
    const bytes = Buffer.from(content);
    const at = (text: string) => bytes.indexOf(text);
    expect(fault?.evidence?.split('\n')).toEqual([
      expect.stringContaining(`line 3, byte ${at('{"seq":1,"at":\n')}: `),
      expect.stringMatching(new RegExp(`^line 4, byte ${at('é')}: .*"é\\\\u001b\\[31m"$`)),
      expect.stringContaining(`line 6, byte ${at('{"seq":2,"at":3,"kind":"we')}: it is JSON, but no record`),
      expect.stringContaining(`line 7, byte ${at('[]')}: `),
    ]);
  });

  test('lacks a line with bytes that are no text', async () => {
    const [before, after] = traceText(...notifications(0, 1)).split('info');
    const content = Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xff]), Buffer.from(after ?? '')]);
    const opened = await files.readText(content);
    expect(opened.faults).toMatchObject([{ evidence: expect.stringContaining('not valid UTF-8') }]);
  });

  test('tells the first of many such lines, and how many there are', async () => {
    const opened = await files.readText(traceText(...Array.from({ length: 5000 }, () => 'rubbish')));
    const [fault] = opened.faults;
    expect(fault?.what).toContain('5000 lines');
    expect(fault?.evidence?.split('\n')).toHaveLength(21);
    expect(fault?.evidence).toContain('and 4980 more');
  });
});

describe('a file that is whole', () => {
  const whole = notifications(0, 2);

  test.each([
    ['only a header', traceText(), 0],
    ['a header without its newline', traceText().trimEnd(), 0],
    ['no newline at its end', traceText(...whole).trimEnd(), 2],
    ['a byte order mark', `\ufeff${traceText(...whole)}`, 2],
    ['line ends of Windows', traceText(...whole).replaceAll('\n', '\r\n'), 2],
    ['blank lines and spaces', traceText(whole[0] ?? '', '', '   ', `  ${JSON.stringify(whole[1])}`), 2],
  ])('may have %s', async (_, content, rows) => {
    const opened = await readOld(content);
    expect(opened).toMatchObject({ counts: { rows, messages: rows }, faults: [] });
    expect(await files.engine.rows(opened.sessionId)).toHaveLength(rows);
  });

  test('may have records whose numbers go back or come twice', async () => {
    const records = [5, 3, 3, 4, 1].map((seq) => unit(seq, { method: 'ping', id: seq }));
    const mark = { seq: 9, at: 1, kind: 'mark', of: 3, note: 'here' };
    const opened = await files.readText(traceText(...records, mark));
    expect(opened).toMatchObject({ counts: { rows: 5 }, faults: [] });
    expect((await files.engine.rows(opened.sessionId)).map(({ seq }) => seq)).toEqual([5, 3, 3, 4, 1]);
  });

  test('may have members that no version knows, and pieces that belong to nothing', async () => {
    const chunk = { seq: 1, at: 1, kind: 'chunk', of: 77, text: 'x', size: 1 };
    const opened = await files.readText(traceText({ ...whole[0], later: { a: 1 } }, chunk));
    expect(opened).toMatchObject({ counts: { rows: 1 }, faults: [] });
    expect(await summaries(opened.sessionId)).toEqual(['info · 0']);
  });
});

describe('a file that cannot be opened', () => {
  test('is reported as what it seems to be', async () => {
    const path = await files.file(linesOf({ jsonrpc: '2.0', method: 'ping', id: 1 }));
    await expect(files.open(path)).rejects.toMatchObject({ fault: { code: 'no-trace', evidence: path } });
  });

  test('may be missing', async () => {
    await expect(files.open(files.path('none'))).rejects.toMatchObject({
      fault: { code: 'trace-not-found', next: expect.any(String) },
    });
  });

  test('may be a folder', async () => {
    const path = files.path('folder.mcptrace');
    await mkdir(path);
    await expect(files.open(path)).rejects.toMatchObject({
      fault: { code: 'no-trace', what: expect.stringContaining('folder') },
    });
  });

  test.skipIf(process.platform === 'win32')('may be no file at all', async () => {
    await expect(files.open('/dev/null')).rejects.toMatchObject({ fault: { code: 'no-trace' } });
  });

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'may not be for us to read',
    async () => {
      const path = await files.file(traceText());
      await chmod(path, 0);
      await expect(files.open(path)).rejects.toMatchObject({ fault: { code: 'trace-not-permitted' } });
    },
  );

  test('leaves nothing open', async () => {
    const before = await files.engine.call('traces/opened', {});
    await files.open(files.path('none')).catch(() => undefined);
    expect(await files.engine.call('traces/opened', {})).toHaveLength(before.length);
  });
});
