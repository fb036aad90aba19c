import { expect, test } from 'vitest';
import { shortSample } from './preview.tsx';

const placeholder = '[secret Bearer, 26 characters, e1e27fda]';

test('shows the placeholder that a sample is about, with little around it', () => {
  const before = `…${'x'.repeat(40)}`;
  expect(shortSample(`${before}${placeholder} and more text behind it…`)).toBe(
    `…${'x'.repeat(14)}${placeholder} and more text…`,
  );
  expect(shortSample(`a=${placeholder}`)).toBe(`a=${placeholder}`);
});

test('takes the one in the middle when others stand beside it', () => {
  const sample = `…, 3 characters, ab] ${'y'.repeat(20)}${placeholder} [secret other, 2 characters, cd]`;
  expect(shortSample(sample)).toContain(placeholder);
});
