import type { ReadOptions } from '#config/clients/read-configuration.ts';
import { readForImport } from '#config/clients/read-for-import.ts';
import { type ConfigurationToWrite, writeConfiguration } from '#config/clients/write-configuration.ts';
import type { Catalog } from '#replay/compare/catalog-changes.ts';
import { compareSides, type SidesToCompare } from '#replay/compare/compare-sides.ts';
import { convertText, type TextToConvert } from '#replay/convert/convert-text.ts';
import {
  type CatalogsToCompare,
  comparedCatalogs,
  type LockToWrite,
  writtenLock,
} from '#replay/lock/compare-catalogs.ts';
import { readFaults } from '#replay/mock/faults/read-faults.ts';
import { SchemaValidator } from '#session/validator.ts';
import { Budget, type Effort } from '#shared/budget.ts';
import { redactJsonTexts, redactText } from '#trace/export/redact/redact-text.ts';
import { editedFile, type FileEdit } from '#testing/saved-calls/edit-test-file.ts';
import { readTestFile } from '#testing/saved-calls/read-test-file.ts';
import { type FileUpdate, updatedFile } from '#testing/saved-calls/update-test-file.ts';
import { matchesPattern } from '#trace/export/redact/patterns.ts';
import { ValueComparer } from '#replay/compare/value-differences.ts';
import { memberText } from '#shared/json/members.ts';
import type { CompareResults } from '#testing/saved-calls/check-call.ts';

/** Work on what servers and other people wrote, which can take long: a function of plain values that only computes. */
interface LongTask<Input, Output> {
  /** What it does, for the fault when it is stopped. */
  readonly label: string;
  /** Characters that it reads. */
  readonly size: (input: Input) => number;
  readonly run: (input: Input, effort: Effort) => Output;
}

const validator = new SchemaValidator();
const checks = {
  validate: (schema: string, value: string) => validator.validateText(schema, value),
  matches: matchesPattern,
};

/** What two results in a test may take, because a test compares them between two calls. */
const RESULT_LIMIT = { steps: 300_000, characters: 30_000_000 };

/**
 * Compares two results of a call in a test, as the engine and a thread do it. The test ran just now; when the expected result was
 * written, its file does not say.
 */
export const compareResults: CompareResults = (recorded, other, rules, { isModern } = {}) =>
  new ValueComparer(rules, {
    matches: matchesPattern,
    budget: new Budget(RESULT_LIMIT),
    isAcrossEras: isModern !== undefined && (memberText(recorded, ['resultType']) !== null) !== isModern,
  }).compare(recorded, other, { moments: { recorded: null, other: Date.now() } });

const lengthOf = (texts: readonly (string | null | undefined)[]): number =>
  texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);

/** Reading YAML takes more for each character than JSON. */
const YAML_FACTOR = 4;

/** All long tasks by name. They are run through this table only, so that each may run in another thread. */
export const longTasks = {
  compare: task({
    label: 'Comparing the two sessions',
    size: ({ recorded, other }: SidesToCompare) =>
      lengthOf(
        [recorded, other].flatMap(({ calls }) => calls.flatMap((call) => [call.params, call.response])),
      ) + sizeOfCatalogs([recorded.catalog, other.catalog]),
    run: (input, effort) => compareSides(input, { ...checks, ...effort }),
  }),
  'compare-catalogs': task({
    label: 'Comparing the two catalogs',
    size: ({ recorded, other }: CatalogsToCompare) =>
      [recorded, other].reduce(
        (sum, side) => sum + ('lock' in side ? side.lock.length : sizeOfCatalogs([side.catalog])),
        0,
      ),
    run: (input, effort) => comparedCatalogs(input, { ...checks, ...effort }),
  }),
  'write-lock': task({
    label: 'Writing the lock file',
    size: ({ catalog, replaces }: LockToWrite) => sizeOfCatalogs([catalog]) + (replaces?.lock.length ?? 0),
    run: (input) => writtenLock(input),
  }),
  'read-test-file': task({
    label: 'Reading the test file',
    size: ({ text }: { text: string }) => text.length * YAML_FACTOR,
    run: ({ text }) => readTestFile(text),
  }),
  'edit-test-file': task({
    label: 'Changing the test file',
    size: (edit: FileEdit) =>
      lengthOf([edit.text, edit.kind === 'restore' ? edit.earlier : null]) * YAML_FACTOR,
    run: (edit) => editedFile(edit),
  }),
  'update-test-file': task({
    label: 'Updating the test file',
    size: ({ text, ran }: FileUpdate) =>
      text.length * YAML_FACTOR +
      lengthOf(ran.flatMap(({ attempts }) => attempts.map(({ answered }) => answered?.result))),
    run: (update) => updatedFile(update, compareResults),
  }),
  'read-configuration': task({
    label: 'Reading the configuration',
    // What does not begin like JSON may be YAML.
    size: ({ text }: { text: string; options: ReadOptions }) =>
      text.length * (/^\s*[{[]/.test(text) ? 1 : YAML_FACTOR),
    run: ({ text, options }) => readForImport(text, options),
  }),
  'write-configuration': task({
    label: 'Writing the configuration',
    size: ({ original }: ConfigurationToWrite) => (original?.length ?? 0) * YAML_FACTOR,
    run: ({ original, format, servers }) => writeConfiguration(original, format, servers),
  }),
  'read-faults': task({
    label: 'Reading the faults',
    size: ({ text }: { text: string; path: string }) => text.length * YAML_FACTOR,
    run: ({ text, path }) => readFaults(text, path),
  }),
  convert: task({
    label: 'Converting the file',
    size: ({ text }: TextToConvert) => text.length * YAML_FACTOR,
    run: (input) =>
      convertText(input, {
        json: (texts) => redactJsonTexts(texts).texts,
        text: (text) => redactText(text, []),
      }),
  }),
} as const;

export type LongTasks = typeof longTasks;
export type LongTaskName = keyof LongTasks;
export type InputOf<N extends LongTaskName> = Parameters<LongTasks[N]['run']>[0];
export type OutputOf<N extends LongTaskName> = Awaited<ReturnType<LongTasks[N]['run']>>;

function task<Input, Output>(one: LongTask<Input, Output>): LongTask<Input, Output> {
  return one;
}

function sizeOfCatalogs(catalogs: readonly Catalog[]): number {
  const lists = catalogs.flatMap((catalog) => Object.values(catalog.lists));
  return lengthOf(lists.flatMap((list) => (list ?? []).map(({ raw }) => raw)));
}
