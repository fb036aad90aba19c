import { expect, test } from 'vitest';
import { catalogLines } from '#model/catalog.ts';
import type { Resource, ResourceEntry } from '#shared/contract/catalog.ts';
import { isDirectory, orderLines } from './resource-order.ts';

const linesOf = (...resources: readonly Partial<Resource>[]) =>
  catalogLines(
    resources.map(
      (resource, index): ResourceEntry => ({
        usable: true,
        resource: { uri: `a://${index}`, name: String(index), ...resource },
        duplicate: false,
        raw: '{}',
      }),
    ),
  );
const names = (lines: readonly { readonly title: string }[]) => lines.map(({ title }) => title).join(' ');

test('resources are sorted by what they state; those that state nothing come last, in the order of the server', () => {
  const lines = linesOf(
    { name: 'b10', size: 5, annotations: { priority: 0.2, lastModified: '2025-01-01T00:00:00Z' } },
    { name: 'none' },
    { name: 'b9', size: 900, annotations: { priority: 0, lastModified: '2026-01-01T01:00:00+02:00' } },
    { name: 'A1', size: 70, annotations: { priority: 1, lastModified: '2026-01-01T00:00:00Z' } },
    { name: 'odd', annotations: { lastModified: 'yesterday' } },
  );
  expect(names(orderLines(lines, 'server', 'any'))).toBe('b10 none b9 A1 odd');
  expect(names(orderLines(lines, 'name', 'any'))).toBe('A1 b9 b10 none odd');
  expect(names(orderLines(lines, 'priority', 'any'))).toBe('A1 b10 b9 none odd');
  expect(names(orderLines(lines, 'modified', 'any'))).toBe('A1 b9 b10 none odd');
  expect(names(orderLines(lines, 'size', 'any'))).toBe('b9 A1 b10 none odd');
});

test('an audience sees what is meant for it, and what states no audience', () => {
  const lines = linesOf(
    { name: 'user', annotations: { audience: ['user'] } },
    { name: 'both', annotations: { audience: ['assistant', 'user'] } },
    { name: 'model', annotations: { audience: ['assistant'] } },
    { name: 'none' },
    { name: 'empty', annotations: { audience: [] } },
  );
  expect(names(orderLines(lines, 'server', 'user'))).toBe('user both none empty');
  expect(names(orderLines(lines, 'name', 'assistant'))).toBe('both empty model none');
  expect(names(orderLines(lines, 'server', 'any'))).toBe('user both model none empty');
});

test('a directory has its MIME type, or a file URI that ends with a slash', () => {
  const are = linesOf(
    { mimeType: 'inode/directory' },
    { uri: 'file:///srv/a/' },
    { uri: 'file:///srv/a' },
    { uri: 'https://example.com/a/' },
    { uri: 'file:///srv/a?b=/' },
  ).map(isDirectory);
  expect(are).toEqual([true, true, false, false, false]);
});
