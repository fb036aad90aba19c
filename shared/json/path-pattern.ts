/** A step of a path to a value: the name of a member, or the index of an element. */
export type PathStep = string | number;

/** A path that may match many values. `**` stands for any number of steps, `*` for one. */
export type PathPattern = readonly (PathStep | typeof anyStep | typeof anySteps)[];

const anyStep = Symbol('*');
const anySteps = Symbol('**');

const stepPattern =
  /\.\.(?:([\p{L}_$][\p{L}\p{N}_$-]*)|\*)|\.(?:([\p{L}_$][\p{L}\p{N}_$-]*)|\*)|\[(?:(0|[1-9]\d*)|\*|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\]/uy;

/**
 * The pattern of a JSON path (RFC 9535) of names, indexes, wildcards and descendants, such as `$.content[*].text` or
 * `$..requestId`; null if the text is not such a path.
 */
export function parsePattern(text: string): PathPattern | null {
  if (!text.startsWith('$')) return null;
  const steps: PathPattern[number][] = [];
  stepPattern.lastIndex = 1;
  while (stepPattern.lastIndex < text.length) {
    const found = stepPattern.exec(text);
    if (found === null) return null;
    const [whole, descendant, name, index, inDouble, inSingle] = found;
    if (whole.startsWith('..')) steps.push(anySteps);
    const quoted = inDouble ?? inSingle;
    if (descendant !== undefined) steps.push(descendant);
    else if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (quoted === undefined) steps.push(anyStep);
    else steps.push(quoted.replaceAll(/\\(.)/gs, '$1'));
  }
  return steps;
}

/** Whether a pattern matches exactly this path. */
export function matchesPath(pattern: PathPattern, path: readonly PathStep[]): boolean {
  let [at, place] = [0, 0];
  /** Where the last `**` is, and the first step that is not among those it stands for. */
  let [descent, from] = [-1, 0];
  while (place < path.length) {
    const step = pattern[at];
    if (step === anySteps) [descent, from] = [at++, place];
    else if (step !== undefined && (step === anyStep || step === path[place])) {
      at++;
      place++;
      // Only the last `**` has to stand for more: an earlier one could only take what this one can take.
    } else if (descent >= 0) [at, place] = [descent + 1, ++from];
    else return false;
  }
  return at === pattern.length;
}

/** A path as it is written, such as `$.content[0].text`. */
export const pathText = (path: readonly PathStep[]): string =>
  `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : nameText(step))).join('')}`;

const nameText = (name: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
