import type {
  AuthorizationFlow,
  AuthorizationParty,
  AuthorizationStep,
} from '#shared/contract/authorization.ts';
import { visibleLine } from '#ui/visible.ts';
import { stateLabels, stepLabels } from './step-labels.ts';

/** One line of the diagram. */
export interface FlowLine {
  readonly step: AuthorizationStep;
  /** Place in the flow, such as `7`, `7B` in another branch; empty for a further exchange of the step above. */
  readonly number: string;
  readonly label: string;
  /** Whether the line belongs to a branch that the flow left. */
  readonly isSide: boolean;
  /** Whether the line is a further exchange of the step above. */
  readonly isFurther: boolean;
  readonly rail: Rail;
}

/** What the branch rail shows left of a line. */
interface Rail {
  /** Whether the line of the flow passes above (`isFrom`) and below (`isOn`). */
  readonly isFrom: boolean;
  readonly isOn: boolean;
  /** Whether the line below leads to steps that come later. */
  readonly isOnLater: boolean;
  /** `begins`: forks off here; `goes-on`: follows the line above. */
  readonly side: 'none' | 'begins' | 'goes-on';
  /** Whether the branch has a further line below. */
  readonly isSideOn: boolean;
}

/**
 * The lines of a flow: its course to the step that is current, each branch that it left beside the step that
 * replaced it.
 */
export function linesOf(flow: AuthorizationFlow): readonly FlowLine[] {
  const course = new Set(courseOf(flow).map(({ id }) => id));
  const listed: Omit<FlowLine, 'rail'>[] = [];
  const walk = (after: number | null, depth: number, letter: string) => {
    const next = flow.steps.filter((step) => step.after === after);
    const main = letter === '' ? next.find(({ id }) => course.has(id)) : next[0];
    let fork = 1;
    for (const step of [...next.filter((one) => one !== main), ...(main === undefined ? [] : [main])]) {
      const own = step === main ? letter : String.fromCharCode(LETTER_A + fork++);
      const before = flow.steps.find(({ id }) => id === after);
      const isFurther = step === main && before?.name === step.name && step.label !== '';
      const place = isFurther ? depth : depth + 1;
      listed.push({
        step,
        number: isFurther ? '' : `${place}${own}`,
        label: labelOf(step, own !== '' || isFurther),
        isSide: own !== '',
        isFurther,
      });
      walk(step.id, place, own);
    }
  };
  walk(null, 0, '');
  return listed.map((line, at) => ({ ...line, rail: railOf(listed, at) }));
}

const LETTER_A = 'A'.charCodeAt(0);

/** The steps from the first to the current one, and those planned after it. */
function courseOf({ steps, currentStep }: AuthorizationFlow): readonly AuthorizationStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const tip =
    byId.get(currentStep ?? Number.NaN) ??
    steps.findLast(({ state }) => state !== 'planned' && state !== 'taken-back') ??
    steps[0];
  const course: AuthorizationStep[] = [];
  for (let at = tip; at !== undefined; at = byId.get(at.after ?? Number.NaN)) course.unshift(at);
  for (let at = tip; at !== undefined; ) {
    const { id, branch } = at;
    const next = steps.filter(({ after, state }) => after === id && state !== 'taken-back');
    at = next.findLast((one) => one.branch === branch) ?? next.at(-1);
    if (at !== undefined) course.push(at);
  }
  return course;
}

function railOf(lines: readonly Omit<FlowLine, 'rail'>[], at: number): Rail {
  const line = lines[at];
  const above = lines[at - 1];
  const below = lines[at + 1];
  const nextMain = lines.slice(at + 1).find(({ isSide }) => !isSide);
  const isOn = nextMain !== undefined;
  const isSideOn = line?.isSide === true && below?.isSide === true && below.step.after === line.step.id;
  return {
    isFrom: lines.slice(0, at).some(({ isSide }) => !isSide),
    isOn,
    isOnLater: nextMain?.step.state === 'planned',
    side:
      line?.isSide !== true
        ? 'none'
        : line.step.after === above?.step.id && above?.isSide
          ? 'goes-on'
          : 'begins',
    isSideOn,
  };
}

/** What a step is called in the diagram: what distinguishes it, if it is one of several, else its name. */
const labelOf = ({ name, label, wrongValue }: AuthorizationStep, isOneOfSeveral: boolean): string => {
  const own = label === '' && wrongValue !== null ? wrongValue.replaceAll('-', ' ') : label;
  return isOneOfSeveral && own !== '' ? visibleLine(own) : stepLabels[name];
};

/** How a line reads to those who do not see the diagram. */
export function lineName({ step, number, label }: FlowLine): string {
  const { name, state, response, findings, isWrongAccepted, isOverridden, original } = step;
  const own = label === stepLabels[name] ? label : `${stepLabels[name]}, ${label}`;
  return [
    number === '' ? own : `${number} ${own}`,
    stateLabels[state],
    isOverridden && 'continued anyway',
    response !== null && `status ${response.status}`,
    isWrongAccepted !== null && (isWrongAccepted ? 'wrong value accepted' : 'wrong value rejected'),
    findings.length > 0 && `${findings.length} found`,
    original !== null && 'edited',
  ]
    .filter((part) => part !== false)
    .join(', ');
}

/** The parties of a flow, as columns of the diagram. The identity provider has one only if the flow has it. */
export function lanesOf({ steps }: AuthorizationFlow): readonly AuthorizationParty[] {
  const taken = new Set(steps.flatMap(({ parties }) => parties));
  const usual: readonly AuthorizationParty[] = ['client', 'mcp-server', 'authorization-server'];
  return [...usual, ...(taken.has('identity-provider') ? (['identity-provider'] as const) : []), 'browser'];
}

/** How many steps are in each state, and how many branches the flow left. */
export function countsOf(
  flow: AuthorizationFlow,
): Readonly<Record<'done' | 'failed' | 'skipped' | 'planned' | 'forks', number>> {
  const lines = linesOf(flow).filter(({ isFurther }) => !isFurther);
  const count = (states: readonly AuthorizationStep['state'][]) =>
    lines.filter(({ step, isSide }) => !isSide && states.includes(step.state)).length;
  return {
    done: count(['done']),
    failed: count(['failed']),
    skipped: count(['skipped']),
    planned: count(['planned']),
    forks: lines.filter(({ rail }) => rail.side === 'begins').length,
  };
}
