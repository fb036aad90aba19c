import { expect, test } from 'vitest';
import { templateError } from './uri-template.ts';

test.each([
  ['file:///{path}'],
  ['https://e.example/{+base}/index{?q,lang*}{&page:3}{#part}'],
  ['demo://resource/dynamic/text/{resourceId}'],
  ['x:{/a.b,c_1}{;d}{.e}'],
  ["x:/é/%41/{p%41th}/it’s/o'k"],
  ['no-expression-at-all'],
  [''],
])('%s is a URI template', (template) => {
  expect(templateError(template)).toBeNull();
});

test.each([
  ['file:///{path', 'a lone {'],
  ['file:///path}', 'a lone }'],
  ['x:/{{a}}', 'a lone {'],
  ['x:/{}', 'without a variable'],
  ['x:/{=a}', 'reserved operator'],
  ['x:/{a b}', '"a b" in {a b} is no variable'],
  ['x:/{a,}', 'is no variable'],
  ['x:/{?}', 'is no variable'],
  ['x:/{a:0}', 'is no variable'],
  ['x:/{a:10000}', 'is no variable'],
  ['x:/{a..b}', 'is no variable'],
  ['x:/my docs/{a}', 'percent-encoded'],
  ['x:/100%/{a}', 'percent-encoded'],
  ['x:/\u0007', 'percent-encoded'],
])('%s is none, and it is said why', (template, why) => {
  expect(templateError(template)).toContain(why);
});
