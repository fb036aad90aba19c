import fc from 'fast-check';
import { test } from 'vitest';
import { findInJson, findInText, type Finders } from './finder.ts';
import { JsonWalk } from './json-walk.ts';
import { KnownValues } from './known-values.ts';
import { Patterns } from './patterns.ts';
import { settled } from './spans.ts';

/**
 * What the built-in rules look for begins, goes on and ends with these. A rule that looks at a stretch of text again
 * from each place in it takes minutes where one that looks at it once takes no time: the tests end within theirs, or
 * do not. A new rule adds what it looks for here.
 */
const fragments = [
  [...' \t\n.,;:=&\'"`\\/@-_+%$()[]{}<>a1'],
  ['password=', 'authorization:', 'Cookie: a=', '"token":"', "'secret': '", 'key: ', '&token=', '%5F'],
  ['Bearer ', 'basic+', 'basic%20', 'negotiate\t', '--token ', '-u ', 'curl -u a:', '-e API_KEY='],
  ['eyJ', 'eyJabcdef.', '-eyJabcdefg', 'SG.', 'SG.aaaaaaaaaaaaaaaa.', 'sk-', 'ghp_', 'github_pat_', 'glpat-'],
  ['xoxb-', 'xapp-', 'AIza', 'ya29.', 'npm_', 'hf_', 'shpat_', 'dop_v1_', 'pypi-', 'AKIA', 'whsec_'],
  ['-----BEGIN ', '-----BEGIN PRIVATE KEY-----', '-----END ', '-----END PRIVATE KEY-----\n', '-----'],
  ['http://', 'x://a:b@', '?token=', '[secret ', '[secret a, 1 characters, ', '\\"', '\\u0041', '\\n', '%41'],
  ['{"name":"API_KEY","value":', '{"value":"', '["--token","', 'GITHUB_PAT', 'é', '😀'],
].flat();

function look(text: string): void {
  const finders: Finders = { isOn: true, known: new KnownValues(), patterns: new Patterns([]) };
  finders.known.learn('k', 'known-value-1');
  settled(text, findInText(finders, text, 0));
  const found = findInJson(finders, new JsonWalk(), JSON.stringify({ text, password: text }), false, 0);
  settled(text, found.spans);
}

const longOf = (fragment: string, length: number) => fragment.repeat(Math.ceil(length / fragment.length));

/** Milliseconds. Each of these takes less than one second, and 20 or more with a rule that is not linear. */
const TIMEOUT = 10_000;

test.each(['.', ',', '-eyJabcdefg', 'authorization:x ', '=', ' '])(
  'a line of 150 kB of %j is looked through once from end to end',
  (fragment) => {
    const long = longOf(fragment, 150_000);
    for (const text of [
      `${long}x!`,
      `password=${long}x!`,
      `[secret a, 1 characters, 0a1b2c3d] password="${long}x"`,
    ])
      look(text);
  },
  TIMEOUT,
);

test(
  '100 kB of any text that the rules search for are redacted in linear time',
  () => {
    for (const fragment of fragments) look(`token: ${longOf(fragment, 100_000)}x!`);
  },
  TIMEOUT,
);

test(
  'so are two of them after each other',
  () => {
    const pair = fc.tuple(fc.constantFrom(...fragments), fc.constantFrom(...fragments));
    const pairs = fc.property(pair, ([one, other]) => look(`password=${longOf(one + other, 50_000)}x!`));
    fc.assert(pairs, { numRuns: 100 });
  },
  TIMEOUT,
);

test('overlapping matches of the rules in 1 MB are merged once', () => {
  look(`-----BEGIN PRIVATE KEY-----\n${longOf('sk-abcdefghijklmnop1234 ', 1024 * 1024)}`);
});
