import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argumentsText, readWords } from './call-arguments.ts';
import { UsageError } from './exit.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    whole: { type: 'integer' },
    number: { type: 'number' },
    flag: { type: 'boolean' },
    list: { type: 'array' },
    map: { type: 'object' },
    either: { type: ['number', 'string'] },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    one: { enum: ['a', 1, null] },
    fixed: { const: true },
    shared: { $ref: '#/$defs/a~1b' },
    round: { $ref: '#/properties/round' },
    untyped: {},
  },
  $defs: { 'a/b': { type: 'boolean' } },
};

const text = (...words: string[]) => argumentsText(readWords(words), schema);

describe('a value is written as its type wants it', () => {
  test.each([
    ['text=5', '{"text":"5"}'],
    ['text=', '{"text":""}'],
    ['text=a=b', '{"text":"a=b"}'],
    ['whole=12345678901234567890', '{"whole":12345678901234567890}'],
    ['number=-2.50e3', '{"number":-2.50e3}'],
    ['flag=true', '{"flag":true}'],
    ['list=[1, "a"]', '{"list":[1, "a"]}'],
    ['map={"a": {}}', '{"map":{"a": {}}}'],
    ['either=7', '{"either":7}'],
    ['either=seven', '{"either":"seven"}'],
    ['maybe=null', '{"maybe":null}'],
    ['one=a', '{"one":"a"}'],
    ['one=1', '{"one":"1"}'],
    ['fixed=true', '{"fixed":true}'],
    ['shared=false', '{"shared":false}'],
    ['round=1', '{"round":"1"}'],
    ['untyped=1', '{"untyped":"1"}'],
    ['unknown=1', '{"unknown":"1"}'],
    ['toString=1', '{"toString":"1"}'],
    ['whole:="as it is"', '{"whole":"as it is"}'],
    ['text:={"a": 1.0}', '{"text":{"a": 1.0}}'],
  ])('%s', (word, expected) => {
    expect(text(word)).toBe(expected);
  });

  test('in the order they are given', () => {
    expect(text('whole=1', 'text=b')).toBe('{"whole":1,"text":"b"}');
    expect(text()).toBe('{}');
  });

  test('and what is not named may have a type too', () => {
    expect(argumentsText(readWords(['any=1']), { additionalProperties: { type: 'number' } })).toBe(
      '{"any":1}',
    );
  });
});

test.each([
  'whole=1.5',
  'whole=one',
  'number=0x10',
  'flag=yes',
  'list={}',
  'map=[]',
  'maybe=none',
  'shared=1',
])('%s fits no type of its property', (word) => {
  expect(() => text(word)).toThrow(UsageError);
});

test.each([
  ['word', 'neither'],
  ['=x', 'neither'],
  ['a:=x', 'must be JSON'],
])('%s is a mistake', (word, why) => {
  expect(() => readWords([word])).toThrow(why);
});

test('an argument given twice is a mistake', () => {
  expect(() => readWords(['a=1', 'a:=2'])).toThrow('"a" is given twice');
});

test('any key and text come out as JSON that means them', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[^=:]+$/), fc.string(), (key, value) => {
      const sent = JSON.parse(argumentsText(readWords([`${key}=${value}`]), {})) as object;
      expect(Object.entries(sent)).toEqual([[key, value]]);
    }),
  );
});
