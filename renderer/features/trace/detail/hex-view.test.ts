import { expect, test } from 'vitest';
import { bytesOfBase64 } from '#ui/media/media.ts';
import { hexLine } from './hex-view.tsx';

test('shows offset, bytes and printable characters', () => {
  const bytes = new TextEncoder().encode('{"jsonrpc":"2.0"');
  expect(hexLine(bytes, 0)).toEqual({
    offset: '00000000',
    hex: ['7b', '22', '6a', '73', '6f', '6e', '72', '70', '63', '22', '3a', '22', '32', '2e', '30', '22'],
    ascii: [...'{"jsonrpc":"2.0"'],
  });
});

test('control characters, DEL and bytes beyond ASCII are dots', () => {
  expect(hexLine(Uint8Array.of(0x00, 0x1b, 0x20, 0x7e, 0x7f, 0xff), 4_294_967_296)).toEqual({
    offset: '100000000',
    hex: ['00', '1b', '20', '7e', '7f', 'ff'],
    ascii: ['.', '.', ' ', '~', '.', '.'],
  });
});

test('base64 gives every byte back', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect(bytesOfBase64(btoa(String.fromCharCode(...bytes)))).toEqual(bytes);
});
