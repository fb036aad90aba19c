import { describe, expect, test } from 'vitest';
import { wireSize } from '#fixtures/trace/wire-size.ts';
import { frameBytes, wireBytesOf } from './sse-frame.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (of: Uint8Array | null) => of && new TextDecoder().decode(of);

describe('the frame of an event', () => {
  test('gives the event as it was in its stream, together with its data', () => {
    const sse = { frame: ['id: 1\r\ndata: ', '\r\ndata:', '\n: note\ndata', '\n\n'] };
    const data = bytes('{"a":\n"é"}\n');
    const expected = 'id: 1\r\ndata: {"a":\r\ndata:"é"}\n: note\ndata\n\n';
    expect(text(wireBytesOf(data, sse))).toBe(expected);
    expect(wireSize(data.length, sse)).toBe(bytes(expected).length);
  });

  test('keeps bytes that are no text', () => {
    expect(wireBytesOf(new Uint8Array([0xff, 0]), { frame: ['\xe4:\ndata:', '\n\n'] })).toEqual(
      Uint8Array.from([0xe4, 0x3a, 0x0a, ...bytes('data:'), 0xff, 0, 0x0a, 0x0a]),
    );
  });

  test('gives an event without a value', () => {
    expect(text(wireBytesOf(bytes(''), { frame: ['data', '\n\n'] }))).toBe('data\n\n');
  });

  test('counts its own bytes', () => {
    expect(frameBytes({ frame: ['data: ', '\xff', '\n\n'] })).toBe(9);
  });

  test('cannot give the event when it was not kept whole, but its size without the missing part', () => {
    const sse = { unframed: 2, frame: ['\ndata: ', '\n\n'] };
    expect(wireBytesOf(bytes('a\nb\nc'), sse)).toBeNull();
    expect(wireSize(5, sse)).toBe('abc'.length + frameBytes(sse));
  });

  test('harms nobody when it does not fit the data', () => {
    expect(text(wireBytesOf(bytes('a'), { frame: ['data:', '\ndata:', '\n\n'] }))).toBe('data:a\ndata:\n\n');
    expect(text(wireBytesOf(bytes('a\nb'), { frame: ['data:', '\n\n'] }))).toBe('data:a\n\n');
    expect(text(wireBytesOf(bytes('a'), { frame: [] }))).toBe('');
  });
});
