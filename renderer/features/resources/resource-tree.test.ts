import { expect, test } from 'vitest';
import { catalogLines } from '#model/catalog.ts';
import type { ResourceEntry } from '#shared/contract/catalog.ts';
import { treeNodes } from './resource-tree.ts';

const linesOf = (...uris: readonly string[]) =>
  catalogLines(
    uris.map(
      (uri): ResourceEntry => ({ usable: true, resource: { uri, name: uri }, duplicate: false, raw: '{}' }),
    ),
  );

/** The visible tree as text: a sign for open and closed folders, and an indent for each level. */
const drawn = (uris: readonly string[], isOpen: (path: string) => boolean | undefined = () => undefined) =>
  treeNodes(linesOf(...uris), isOpen).map(
    ({ level, label, line, count, isOpen: open }) =>
      `${'  '.repeat(level)}${line !== null ? label : `${open ? '-' : '+'} ${label} ${count}`}`,
  );

test('folders are the segments of a URI; a chain of folders without a choice is one', () => {
  expect(
    drawn([
      'handbook://oncall/incident.md',
      'handbook://oncall/rota.ics',
      'handbook://security/keys.md',
      'file:///srv/a/b/readme',
      'demo://welcome',
    ]),
  ).toEqual([
    '- handbook:// 3',
    '  - oncall/ 2',
    '    incident.md',
    '    rota.ics',
    '  - security/ 1',
    '    keys.md',
    '- file:///srv/a/b/ 1',
    '  readme',
    '- demo:// 1',
    '  welcome',
  ]);
});

test('slashes of a query are no folders, and a URI may end with a slash', () => {
  expect(drawn(['x://list?path=a/b', 'x://dir/', 'urn:isbn:1'])).toEqual([
    '- x:// 2',
    '  - dir/ 1',
    '    /',
    '  list?path=a/b',
    '- urn: 1',
    '  isbn:1',
  ]);
});

test('a folder is as the user left it; with many resources the others are closed', () => {
  const many = Array.from({ length: 100 }, (_, index) => `x://${index < 50 ? 'a' : 'b'}/${index}`);
  expect(drawn(many)).toEqual(['- x:// 100', '  + a/ 50', '  + b/ 50']);
  expect(drawn(many, (path) => (path === 'x://b/' ? true : undefined))).toHaveLength(53);
  expect(drawn(many, () => false)).toEqual(['+ x:// 100']);
});

test('entries without a URI are listed at the top level', () => {
  const unusable: ResourceEntry = { usable: false, name: 'no scheme', error: 'no URI', raw: '{}' };
  expect(treeNodes(catalogLines([unusable]), () => undefined)).toMatchObject([
    { label: 'no scheme', level: 0 },
  ]);
});
