import { expect, test } from 'vitest';
import type { CallComparison, Comparison } from './contract/comparison.ts';
import { countClasses } from './contract/comparison.ts';
import { reportOf } from './comparison-report.ts';

const call = (of: Partial<CallComparison>): CallComparison => ({
  class: 'same',
  method: 'tools/call',
  target: 'invoice',
  paramsPreview: '',
  direction: 'out',
  recorded: { row: 47, responseRow: 48, outcome: 'ok', duration: 2000 },
  other: { row: 45, responseRow: 46, outcome: 'ok', duration: 1_500_000 },
  differences: [],
  ignored: [],
  summary: '',
  isAccepted: false,
  ...of,
});

const calls = [
  call({}),
  call({
    class: 'behavior',
    target: 'a <b> & "c"',
    summary: '$.total changed',
    differences: [{ path: '$.total', kind: 'changed', recorded: '"1"', other: '"2"' }],
  }),
  call({ class: 'flipped', target: null, method: 'ping\u0000', summary: 'a result is now an error' }),
  call({ class: 'skipped', other: null, summary: 'you left it out' }),
];

const comparison: Comparison = {
  calls,
  counts: countClasses(calls),
  catalog: [
    {
      rule: 'argument-required',
      class: 'breaking',
      of: 'tool',
      name: 'invoice',
      pointer: '/inputSchema/required',
      text: 'Argument currency is newly required',
      before: null,
      after: null,
      calls: { count: 212, broken: 14, rows: [3] },
    },
    {
      rule: 'tool-added',
      class: 'compatible',
      of: 'tool',
      name: 'list',
      pointer: '',
      text: 'Tool added',
      before: null,
      after: null,
      calls: { count: 0, broken: 0, rows: [] },
    },
  ],
  uncomparedLists: [],
  lostLists: [],
  latency: null,
};

test('JUnit has a case for each call and each change, and fails by the gate', () => {
  const any = reportOf(comparison, { format: 'junit', gate: 'any', name: 'billing' });
  expect(any).toContain('<testsuites tests="6" failures="4" skipped="1" time="4.500000">');
  expect(any).toContain(
    '<failure type="behavior" message="$.total changed">$.total: &quot;1&quot; -&gt; &quot;2&quot;</failure>',
  );
  expect(any).toContain('name="tools/call a &lt;b&gt; &amp; &quot;c&quot; #48"');
  expect(any).toContain('name="ping\ufffd #48"');
  expect(any).toContain('<skipped message="you left it out"/>');
  expect(any).toContain('14 of 212 recorded calls would break');
  const breaking = reportOf(comparison, { format: 'junit', gate: 'breaking', name: 'billing' });
  expect(breaking).toContain('<testsuites tests="6" failures="2" skipped="1"');
});

test('SARIF has a result for each difference of the gate, each with its rule', () => {
  const log = JSON.parse(reportOf(comparison, { format: 'sarif', gate: 'behavior', name: 'billing' })) as {
    version: string;
    runs: {
      tool: { driver: { rules: { id: string }[] } };
      results: { ruleId: string; ruleIndex: number; level: string }[];
    }[];
  };
  expect(log.version).toBe('2.1.0');
  const [run] = log.runs;
  expect(run?.results.map(({ ruleId, level }) => `${ruleId} ${level}`)).toEqual([
    'call/behavior warning',
    'call/flipped error',
    'catalog/argument-required error',
  ]);
  for (const { ruleId, ruleIndex } of run?.results ?? []) {
    expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
  }
});

test('what was ignored is in every report, with why and both values', () => {
  const ignored = [
    { path: '$.at', why: 'time' as const, recorded: '"10:00"', other: '"11:00"' },
    { path: '$.new', why: 'rule' as const, recorded: null, other: '<1>' },
  ];
  const noisy = [call({ class: 'noise', ignored })];
  const one = { ...comparison, calls: noisy, counts: countClasses(noisy), catalog: [] };
  const junit = reportOf(one, { format: 'junit', gate: 'any', name: 'billing' });
  expect(junit).toContain('<testsuites tests="1" failures="0" skipped="0"');
  expect(junit).toContain(
    '<system-out>ignored (time) $.at: &quot;10:00&quot; -&gt; &quot;11:00&quot;&#10;ignored (rule) $.new: nothing -&gt; &lt;1&gt;</system-out>',
  );
  const text =
    'tools/call invoice #48\nignored (time) $.at: "10:00" -> "11:00"\nignored (rule) $.new: nothing -> <1>';
  expect(JSON.parse(reportOf(one, { format: 'sarif', gate: 'any', name: 'billing' }))).toMatchObject({
    runs: [
      {
        results: [],
        invocations: [
          { executionSuccessful: true, toolExecutionNotifications: [{ level: 'note', message: { text } }] },
        ],
      },
    ],
  });
  expect(JSON.parse(reportOf(one, { format: 'json', gate: 'any', name: 'billing' }))).toEqual(one);
});

test('a list that was not compared fails every gate', () => {
  const one = { ...comparison, calls: [], catalog: [], uncomparedLists: ['prompt'], lostLists: ['prompt'] };
  const text = 'not compared: the list of prompts, which one side did not read whole';
  const junit = reportOf(one, { format: 'junit', gate: 'breaking', name: 'billing' });
  expect(junit).toContain('<testsuites tests="1" failures="1" skipped="0"');
  expect(junit).toContain(`<failure type="list-uncompared" message="${text}"></failure>`);
  const sarif: unknown = JSON.parse(reportOf(one, { format: 'sarif', gate: 'breaking', name: 'billing' }));
  expect(sarif).toMatchObject({
    runs: [
      {
        tool: { driver: { rules: [{ id: 'catalog/list-uncompared' }] } },
        results: [{ ruleId: 'catalog/list-uncompared', ruleIndex: 0, level: 'error', message: { text } }],
      },
    ],
  });
});

test('JSON is the whole comparison', () => {
  expect(JSON.parse(reportOf(comparison, { format: 'json', gate: 'any', name: 'billing' }))).toEqual(
    comparison,
  );
});
