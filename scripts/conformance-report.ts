import { z } from 'zod';

/** What a scenario is run for: a revision of the protocol, or `extension` for any. */
export type Target = string;

/** One scenario of the suite that tests a client. */
export interface Listed {
  readonly scenario: string;
  /** Whether a client must pass it, or it is only run and told. */
  readonly isRequired: boolean;
}

/** How a scenario that was run came out. */
export interface Outcome {
  readonly state: 'passed' | 'failed';
  readonly successes: number;
  /** What is wrong, a line each. */
  readonly problems: readonly string[];
  /** Set if it is the outcome of a second run, after the suite ended the first one by its time-out. */
  readonly ranAgain?: true;
}

/**
 * The client scenarios in what `conformance list --client --requirements R` prints.
 *
 * @throws Error when there is none: the suite prints something else then
 */
export function readList(text: string): Listed[] {
  const listed = linesOf(text).flatMap(({ section, scenario, note }): Listed[] => {
    if (section.startsWith(OF_CLIENTS)) return [{ scenario, isRequired: true }];
    return note === 'client' ? [{ scenario, isRequired: false }] : [];
  });
  if (!listed.some(({ isRequired }) => isRequired)) throw new Error(`no client scenario in:\n${text}`);
  return listed;
}

/** One scenario with one of the revisions that the suite lists for it. */
export interface Pair {
  readonly scenario: string;
  readonly target: Target;
}

/**
 * Every client scenario that the suite has, with each of its revisions, as `conformance list --client` prints them.
 *
 * @throws Error if there is none, or one without a revision
 */
export function readPairs(text: string): Pair[] {
  const pairs = linesOf(text).flatMap(({ section, scenario, note }) => {
    if (!section.startsWith(OF_CLIENTS)) return [];
    if (note === undefined) throw new Error(`no revision of ${scenario} in:\n${text}`);
    return note.split(',').map((target): Pair => ({ scenario, target }));
  });
  if (pairs.length === 0) throw new Error(`no client scenario in:\n${text}`);
  return pairs;
}

const OF_CLIENTS = 'Client scenarios';

/** The scenarios of a list, each with the heading above it and what stands behind it in brackets. */
function linesOf(text: string): { section: string; scenario: string; note: string | undefined }[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    if (/^\S/.test(line)) section = line;
    const [, scenario, note] = /^\s+- (\S+)(?: \[([\w.,-]+)\])?$/.exec(line) ?? [];
    return scenario === undefined ? [] : [{ section, scenario, note }];
  });
}

const checksSchema = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
    errorMessage: z.string().optional(),
  }),
);

/**
 * What the checks of a scenario come to. The suite calls a scenario passed that no check has looked at; here it
 * takes one that succeeded, and none that failed or warns.
 *
 * @param checks what `checks.json` holds; null when the suite left none
 * @param exitCode of the suite: it fails for a client that did, or that took too long
 */
export function outcomeOf(checks: unknown, exitCode: number): Outcome {
  if (checks === null) return { state: 'failed', successes: 0, problems: ['the suite left no checks.json'] };
  const all = checksSchema.parse(checks);
  const problems = all
    .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
    .map(({ status, id, name, errorMessage = '' }) => `${status} ${id} (${name}): ${errorMessage}`);
  const successes = all.filter(({ status }) => status === 'SUCCESS').length;
  if (successes === 0) problems.push('no check succeeded');
  if (exitCode !== 0 && problems.length === 0) problems.push(`the suite ended with ${exitCode}`);
  return { state: problems.length === 0 ? 'passed' : 'failed', successes, problems };
}

/** One line of the table. */
export interface Line {
  readonly target: Target;
  readonly scenario: string;
  readonly isRequired: boolean;
  /** Why it is not claimed yet, or how it came out. */
  readonly result: { readonly notClaimed: string } | Outcome;
}

/** Every scenario in one table, with how many checks succeeded; below a scenario what is wrong. */
export function reportText(lines: readonly Line[]): string {
  const widths = { target: 10, scenario: Math.max(...lines.map(({ scenario }) => scenario.length)) };
  const rows = lines.map(({ target, scenario, isRequired, result }) => {
    const head = `${target.padEnd(widths.target)}  ${scenario.padEnd(widths.scenario)}  `;
    const extra = isRequired ? '' : ', not required';
    if ('notClaimed' in result) return `${head}not yet claimed: ${result.notClaimed}${extra}`;
    const mark = result.state === 'passed' ? `passed (${result.successes})` : 'FAILED';
    const again =
      result.ranAgain === true ? [`ran again alone after a time-out of the suite: ${result.state}`] : [];
    const below = [...again, ...result.problems].map((line) => `    ${line}`);
    return [`${head}${mark}${extra}`, ...below].join('\n');
  });
  const count = (wanted: string) =>
    lines.filter(({ result }) => ('notClaimed' in result ? 'notClaimed' : result.state) === wanted).length;
  return [
    ...rows,
    `${count('passed')} passed, ${count('failed')} failed, ${count('notClaimed')} not yet claimed`,
  ].join('\n');
}
