import {
  type CallClass,
  type CallComparison,
  callClasses,
  type CatalogChange,
  type ChangeClass,
  type Comparison,
  failsGate,
  type Gate,
  type ReportFormat,
  type ValueDifference,
} from './contract/comparison.ts';
import { junitSeconds, xmlText } from './xml.ts';
import { rowNumber } from './trace/row.ts';

interface ReportOptions {
  readonly format: ReportFormat;
  /** What counts as a failure. */
  readonly gate: Gate;
  /** What was compared: the server of the recording. */
  readonly name: string;
}

/** A comparison as a file for other programs. */
export function reportOf(comparison: Comparison, options: ReportOptions): string {
  switch (options.format) {
    case 'json':
      return JSON.stringify(comparison, null, 2);
    case 'junit':
      return junitReport(comparison, options);
    case 'sarif':
      return JSON.stringify(sarifReport(comparison, options), null, 2);
  }
}

/** `tools/call get_invoice #48` */
function callName({ method, target, recorded, other }: CallComparison): string {
  const row = recorded?.row ?? other?.row;
  return [method, target, row === undefined ? null : rowNumber(row)]
    .filter((part) => part !== null)
    .join(' ');
}

/** Says that a list was not compared, which fails every gate. @param list such as `tool` */
export const uncomparedText = (list: string): string =>
  `not compared: the list of ${list}s, which one side did not read whole`;

const changeName = ({ of, name, rule }: CatalogChange): string => `${of} ${name} ${rule}`;

/** Both values of a path: `"a" -> nothing`. */
export const valuesText = ({ recorded, other }: Pick<ValueDifference, 'recorded' | 'other'>): string =>
  `${recorded ?? 'nothing'} -> ${other ?? 'nothing'}`;

/** What differs in a call, a line for each value. */
const callDetails = ({ differences }: CallComparison): string =>
  differences.map((difference) => `${difference.path}: ${valuesText(difference)}`).join('\n');

/** What was ignored in a call, a line for each value. */
const ignoredDetails = ({ ignored }: CallComparison): string =>
  ignored.map((one) => `ignored (${one.why}) ${one.path}: ${valuesText(one)}`).join('\n');

/** `14 of 212 recorded calls would break`; empty without calls. */
const proofOf = ({ calls: { broken, count } }: CatalogChange): string =>
  broken === 0 ? '' : `${broken} of ${count} recorded calls would break`;

/** The XML of JUnit, which CI systems read: a suite of the calls, and one of the changes of the lists. */
function junitReport({ calls, catalog, lostLists }: Comparison, { gate, name }: ReportOptions): string {
  const cases = [
    {
      name: `${name}: calls`,
      cases: calls.map(
        (call): JunitCase => ({
          name: callName(call),
          time: call.other?.duration ?? 0,
          skipped: call.class === 'skipped' ? call.summary : null,
          failure: failsGate(gate, 'calls', call.class)
            ? { type: call.class, message: call.summary, text: callDetails(call) }
            : null,
          output: ignoredDetails(call),
        }),
      ),
    },
    {
      name: `${name}: lists`,
      cases: [
        ...catalog.map(
          (change): JunitCase => ({
            name: changeName(change),
            time: 0,
            skipped: null,
            failure: failsGate(gate, 'catalog', change.class)
              ? { type: change.class, message: change.text, text: proofOf(change) }
              : null,
            output: '',
          }),
        ),
        ...lostLists.map(
          (list): JunitCase => ({
            name: `list of ${list}s`,
            time: 0,
            skipped: null,
            failure: { type: UNCOMPARED, message: uncomparedText(list), text: '' },
            output: '',
          }),
        ),
      ],
    },
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${junitCounts(cases.flatMap((suite) => suite.cases))}>`,
    ...cases.flatMap((suite) => [
      `  <testsuite name="${xmlText(suite.name)}"${junitCounts(suite.cases)}>`,
      ...suite.cases.map((one) => junitCase(suite.name, one)),
      '  </testsuite>',
    ]),
    '</testsuites>',
  ].join('\n');
}

/** The rule of a list that was not compared. */
const UNCOMPARED = 'list-uncompared';

interface JunitCase {
  readonly name: string;
  /** Microseconds. */
  readonly time: number;
  readonly skipped: string | null;
  readonly failure: { readonly type: string; readonly message: string; readonly text: string } | null;
  /** What is said besides. */
  readonly output: string;
}

function junitCounts(cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== null).length;
  const skipped = cases.filter((one) => one.skipped !== null).length;
  const time = cases.reduce((sum, one) => sum + one.time, 0);
  return ` tests="${cases.length}" failures="${failures}" skipped="${skipped}" time="${junitSeconds(time)}"`;
}

function junitCase(suite: string, { name, time, skipped, failure, output }: JunitCase): string {
  const head = `    <testcase name="${xmlText(name)}" classname="${xmlText(suite)}" time="${junitSeconds(time)}"`;
  if (failure === null && skipped === null && output === '') return `${head}/>`;
  const inner = [
    ...(failure === null
      ? []
      : [
          `<failure type="${failure.type}" message="${xmlText(failure.message)}">${xmlText(failure.text)}</failure>`,
        ]),
    ...(failure === null && skipped !== null ? [`<skipped message="${xmlText(skipped)}"/>`] : []),
    ...(output === '' ? [] : [`<system-out>${xmlText(output)}</system-out>`]),
  ];
  return [`${head}>`, ...inner.map((one) => `      ${one}`), '    </testcase>'].join('\n');
}

const levels: Readonly<Record<CallClass | ChangeClass, 'error' | 'warning' | 'note'>> = {
  breaking: 'error',
  flipped: 'error',
  missing: 'warning',
  extra: 'warning',
  behavior: 'warning',
  unclear: 'warning',
  unknown: 'error',
  compatible: 'note',
  skipped: 'note',
  noise: 'note',
  same: 'note',
};

const classMeanings: Readonly<Record<CallClass, string>> = {
  breaking: 'The result is no longer valid by the output schema of the recorded tool.',
  flipped: 'A result became an error, or an error a result.',
  missing: 'Only the recording has the call.',
  extra: 'The recording does not have the call.',
  behavior: 'The responses differ.',
  unclear: 'A response is missing, or too large to be compared.',
  skipped: 'The call was not sent.',
  noise: 'Only what is ignored differs.',
  same: 'Nothing differs.',
};

/**
 * A log in SARIF 2.1.0 with a result for each difference, and each lost list, that makes the gate fail, and a notification for
 * each call in which something was ignored.
 */
function sarifReport({ calls, catalog, lostLists }: Comparison, { gate, name }: ReportOptions) {
  const failing = calls.filter((call) => failsGate(gate, 'calls', call.class));
  const changes = catalog.filter((change) => failsGate(gate, 'catalog', change.class));
  const rules = [
    ...callClasses
      .filter((one) => failing.some((call) => call.class === one))
      .map((one) => ({ id: `call/${one}`, shortDescription: { text: classMeanings[one] } })),
    ...[...new Set([...changes.map(({ rule }) => rule), ...lostLists.map(() => UNCOMPARED)])].map((rule) => ({
      id: `catalog/${rule}`,
      shortDescription: { text: rule.replaceAll('-', ' ') },
    })),
  ];
  const ignored = calls
    .filter((call) => call.ignored.length > 0)
    .map((call) => ({ level: 'note', message: { text: `${callName(call)}\n${ignoredDetails(call)}` } }));
  const resultOf = (ruleId: string, level: string, text: string, at: string) => ({
    ruleId,
    ruleIndex: rules.findIndex(({ id }) => id === ruleId),
    level,
    message: { text },
    locations: [{ logicalLocations: [{ name: at, fullyQualifiedName: `${name}: ${at}` }] }],
  });
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Sightglass', rules } },
        ...(ignored.length > 0 && {
          invocations: [{ executionSuccessful: true, toolExecutionNotifications: ignored }],
        }),
        results: [
          ...failing.map((call) =>
            resultOf(
              `call/${call.class}`,
              levels[call.class],
              [call.summary, callDetails(call)].filter(Boolean).join('\n'),
              callName(call),
            ),
          ),
          ...changes.map((change) =>
            resultOf(
              `catalog/${change.rule}`,
              levels[change.class],
              [change.text, proofOf(change)].filter(Boolean).join('. '),
              `${change.of} ${change.name}`,
            ),
          ),
          ...lostLists.map((list) =>
            resultOf(`catalog/${UNCOMPARED}`, 'error', uncomparedText(list), `list of ${list}s`),
          ),
        ],
      },
    ],
  };
}
