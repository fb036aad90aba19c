import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readResult } from './read-result.ts';

const kinds = (content: unknown) =>
  readResult(JSON.stringify({ content }))?.blocks.map((block) =>
    block.kind === 'known' ? block.block.type : block.error,
  );

describe('a result', () => {
  test('every kind of content is known', () => {
    expect(
      kinds([
        { type: 'text', text: 'a' },
        { type: 'image', data: '', mimeType: 'image/png' },
        { type: 'audio', data: '', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///a', name: 'a' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'x' } },
        { type: 'resource', resource: { uri: 'file:///a', blob: 'AA==' } },
      ]),
    ).toEqual(['text', 'image', 'audio', 'resource_link', 'resource', 'resource']);
  });

  test('members that no schema knows are no fault', () => {
    const resource = { uri: 'file:///a', text: 'x', title: 'A', annotations: { priority: 1 } };
    expect(kinds([{ type: 'resource', resource, extra: 1 }])).toEqual(['resource']);
    expect(readResult('{"content":[],"extra":{}}')?.errors).toEqual([]);
  });

  test('a bad block never hides the others', () => {
    expect(
      kinds([{ type: 'text' }, 5, { type: 'video' }, { type: 'text', text: 'fine', annotations: 7 }]),
    ).toEqual([
      'Invalid "text" block: text: Invalid input: expected string, received undefined.',
      'A content block has no type.',
      'Unknown content type "video".',
      'text',
    ]);
  });

  test('what is shown raw is as it was written', () => {
    const text = '{"content":[{"type":"x","n":9007199254740993}],"structuredContent":{"b":1.0,"a":2}}';
    const result = readResult(text);
    expect(result?.blocks[0]).toMatchObject({ raw: '{"type":"x","n":9007199254740993}' });
    expect(result?.structured).toBe('{"b":1.0,"a":2}');
  });

  test('says what is wrong with the whole', () => {
    expect(readResult('{}')?.errors).toEqual(['It has no "content", which is required.']);
    expect(readResult('{"content":{},"structuredContent":[],"isError":"no"}')?.errors).toEqual([
      '"content" is not a list.',
      '"structuredContent" is not an object.',
      '"isError" is not true or false.',
    ]);
  });

  test('is null for what is no object', () => {
    for (const text of ['', '[', '[]', '5', 'null']) expect(readResult(text)).toBeNull();
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (content, structuredContent) => {
        const result = readResult(JSON.stringify({ content, structuredContent }));
        expect(result?.blocks).toHaveLength(content.length);
      }),
    );
  });
});
