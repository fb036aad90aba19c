import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { appVersion } from '#hosts/app-root.ts';
import { type CallOutcome, failsRun } from '#shared/contract/saved-calls.ts';
import { attemptsText, type TestedFile } from './tested-file.ts';

const rules = [
  { id: 'expectation', text: 'A call was not as its test file expects.' },
  { id: 'flaky', text: 'A call was as expected in some attempts, and not in others.' },
  { id: 'skipped', text: 'A call was not made.' },
] as const;
type RuleId = (typeof rules)[number]['id'];

/** A report as a SARIF 2.1.0 log (OASIS Standard, section 3.13), as JSON text. What passed is left out. */
export function sarifLog(files: readonly TestedFile[]): string {
  return JSON.stringify({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Sightglass',
            version: appVersion,
            rules: rules.map(({ id, text }) => ({ id, shortDescription: { text } })),
          },
        },
        invocations: [{ executionSuccessful: true }],
        columnKind: 'utf16CodeUnits',
        results: files.flatMap(({ path, outcomes }) => outcomes.flatMap((one) => resultsOf(path, one))),
      },
    ],
  });
}

function resultsOf(path: string, outcome: CallOutcome): object[] {
  const { name, state, failures, reason } = outcome;
  const result = (ruleId: RuleId, text: string, more: object, place?: CallOutcome['failures'][number]) => ({
    ruleId,
    ruleIndex: rules.findIndex(({ id }) => id === ruleId),
    message: { text: `${name}: ${text}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(path) },
          ...(place !== undefined && { region: { startLine: place.line, startColumn: place.column } }),
        },
        logicalLocations: [{ name, kind: 'member' }],
      },
    ],
    ...more,
  });
  switch (state) {
    case 'passed':
      return [];
    case 'skipped':
      return [result('skipped', reason ?? 'not made', { kind: 'notApplicable', level: 'none' })];
    case 'failed':
      return failures.map((one) => result('expectation', one.message, { level: 'error' }, one));
    case 'flaky': {
      const level = failsRun(outcome) ? 'error' : 'warning';
      return [
        result(
          'flaky',
          [attemptsText(outcome), ...failures.map(({ message }) => message)].join('; '),
          { level },
          failures[0],
        ),
      ];
    }
  }
}

/** A relative reference where the file is below the current folder, otherwise a `file:` URI. */
const uriOf = (path: string): string =>
  isAbsolute(path)
    ? pathToFileURL(path).href
    : path
        .split(/[/\\]/)
        .map((part) => encodeURIComponent(part))
        .join('/');
