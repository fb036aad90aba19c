import { expect, test } from 'vitest';
import { expandedUri, expandTemplate, templateVariables } from './uri-template.ts';

test('the variables of a template are its names without operators and modifiers, each once', () => {
  expect(templateVariables('db://{schema}/{+path}{?page,tags*,q:3}{#schema}')).toEqual([
    { name: 'schema', isList: false },
    { name: 'path', isList: false },
    { name: 'page', isList: false },
    { name: 'tags', isList: true },
    { name: 'q', isList: false },
  ]);
  expect(templateVariables('file:///plain')).toEqual([]);
});

test.each([
  ['file:///{path}', { path: 'a/b c' }, 'file:///a%2Fb%20c'],
  ['file:///{+path}', { path: 'a/b c' }, 'file:///a/b%20c'],
  ['x://s{?page,q}', { page: '2' }, 'x://s?page=2'],
  ['x://s{?tags*}', { tags: 'a, b' }, 'x://s?tags=a&tags=b'],
  ['x://s{/id}{#part}', {}, 'x://s'],
  ['x://{word:3}', { word: 'sightglass' }, 'x://sig'],
  ['x://{word}', { word: '' }, 'x://'],
])('%s with %o is %s', (template, values, uri) => {
  expect(expandedUri(template, values)).toBe(uri);
});

test('a preview keeps the expressions that have no value yet', () => {
  expect(expandTemplate('x://{a}/{b}', { a: '1' }, true)).toEqual([
    { text: 'x://', isExpression: false },
    { text: '1', isExpression: true },
    { text: '/', isExpression: false },
    { text: '{b}', isExpression: true },
  ]);
});
