import type { DiagnosisStep, DiagnosisStepName } from '#shared/contract/diagnosis.ts';
import { truncate } from '#shared/format.ts';

/** A step as it was measured, before it is known which one failed. */
export type MeasuredStep = Omit<DiagnosisStep, 'state' | 'fault'> & {
  readonly state: 'ok' | 'skipped' | 'unknown';
};

/** Names and values to show as evidence; undefined and null values are left out. */
export const factsOf = (
  values: Readonly<Record<string, string | number | null | undefined>>,
): DiagnosisStep['facts'] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [{ name, value: String(value) }],
  );

/** A step of which nothing was recorded. */
export const notMeasured = (name: DiagnosisStepName): MeasuredStep => ({
  name,
  state: 'unknown',
  measured: null,
  facts: [],
  row: null,
});

/** Limits of characters: a server may send any number. */
const MAX_MEASURED = 300;
const MAX_FACT = 2000;

/** Shortens the texts of a step to fit a screen. */
export const truncateStep = (step: MeasuredStep): MeasuredStep => ({
  ...step,
  measured: step.measured === null ? null : truncate(step.measured, MAX_MEASURED),
  facts: step.facts.map(({ name, value }) => ({ name, value: truncate(value, MAX_FACT) })),
});
