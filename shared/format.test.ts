import { expect, test } from 'vitest';
import {
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatQuantity,
  formatUptime,
} from './format.ts';

test.each([
  [0, '0 µs'],
  [312, '312 µs'],
  [999, '999 µs'],
  [999.6, '1.0 ms'],
  [1_100, '1.1 ms'],
  [99_940, '99.9 ms'],
  [99_960, '100 ms'],
  [412_300, '412 ms'],
  [999_400, '999 ms'],
  [999_600, '1.000 s'],
  [5_012_000, '5.012 s'],
  [59_999_400, '59.999 s'],
  [59_999_600, '1 min 00 s'],
  [125_400_000, '2 min 05 s'],
])('%d microseconds are %s', (microseconds, text) => {
  expect(formatDuration(microseconds)).toBe(text);
});

test.each([
  [0, '0 B'],
  [312, '312 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [4_096, '4.1 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
  [20_000_000, '20.0 MB'],
  [5e15, '5000.0 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('counts have thousands apart and the right number of the noun', () => {
  expect(formatCount(1_000_412)).toBe('1,000,412');
  expect(formatQuantity(1, 'error')).toBe('1 error');
  expect(formatQuantity(12_408, 'record')).toBe('12,408 records');
  expect(formatQuantity(2, 'invalid', 'invalid')).toBe('2 invalid');
});

test.each([
  [-5, '0:00'],
  [7_999, '0:07'],
  [192_000, '3:12'],
  [3_792_000, '1:03:12'],
])('%d milliseconds up are %s', (milliseconds, text) => {
  expect(formatUptime(milliseconds)).toBe(text);
});

test('a time of day has every digit', () => {
  expect(formatClock(new Date(2026, 0, 1, 4, 5, 1, 4).getTime())).toBe('04:05:01.004');
});
