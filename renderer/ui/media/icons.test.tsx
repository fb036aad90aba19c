import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Icons, readIcons } from './icons.tsx';

afterEach(cleanup);

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const inline = `data:image/png;base64,${png}`;

test('an image in a data address is shown, and nothing is fetched for another', () => {
  const { container } = render(
    <Icons icons={[{ src: inline, sizes: ['48x48'] }, { src: 'https://icons.example/a.png' }]} />,
  );
  expect([...container.querySelectorAll('img')].map(({ src }) => src)).toEqual([inline]);
  expect(screen.getByRole('button', { name: '1 icon not shown' })).toBeTruthy();
});

test.each([
  ['https://icons.example/a.png', /^https:\/\/icons\.example\/a\.png is not fetched$/],
  ['data:image/svg+xml;base64,PHN2Zy8+', /is not an image that is shown here$/],
  [`data:image/png;base64,${'A'.repeat(300_000)}`, /is not an image/],
  ['javascript:alert(1)', /is not fetched$/],
])('%.30s is not shown', (src, why) => {
  const { shown, others } = readIcons([{ src }]);
  expect(shown).toEqual([]);
  expect(others[0]).toMatch(why);
});

test.each([null, 'x', { src: inline }, [null], [{ src: 1 }]])('%j shows no image', (icons) => {
  expect(readIcons(icons).shown).toEqual([]);
});

test('a flood of icons shows four', () => {
  expect(readIcons(Array.from({ length: 1000 }, () => ({ src: inline }))).shown).toHaveLength(4);
});
