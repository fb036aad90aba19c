import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { JsonText } from './json-text.tsx';

afterEach(cleanup);

const shown = () => document.body.textContent ?? '';

test('shows integers beyond 2^53 and duplicate keys', () => {
  render(<JsonText raw={'{"id":9007199254740993,"id":9007199254740992}'} />);
  expect(shown()).toBe('{\n  "id": 9007199254740993,\n  "id": 9007199254740992\n}');
});

test('shows text that is no JSON as it is, control characters made visible', () => {
  render(<JsonText raw={'\u001b[31mDEBUG\u001b[0m {"a":'} />);
  expect(shown()).toBe('[ESC][31mDEBUG[ESC][0m {"a":');
  expect(screen.getAllByTitle('U+001B')).toHaveLength(2);
});

test('makes characters visible that would reorder a string', () => {
  render(<JsonText raw={'{"file":"a\u202egpj.exe"}'} />);
  expect(shown()).toContain('a[U+202E]gpj.exe');
});

test('lays out only a part of a huge text, and more on demand', async () => {
  const raw = JSON.stringify({ long: 'x'.repeat(1_000_000) });
  render(<JsonText raw={raw} />);
  const before = shown().length;
  expect(before).toBeLessThan(50_000);
  await userEvent.click(screen.getByRole('button', { name: /Show more/ }));
  expect(shown().length).toBeGreaterThan(before * 3);
});

test('never runs what a server sent as markup', () => {
  render(<JsonText raw={'{"html":"<img src=x onerror=alert(1)>"}'} />);
  expect(document.querySelector('img')).toBeNull();
  expect(shown()).toContain('<img src=x onerror=alert(1)>');
});
