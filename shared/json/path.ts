import { elementTexts, memberText } from './members.ts';
import { skipSpace } from './tokens.ts';

/** A step of a JSON path: the name of a member, or the index of an element, negative from the end. */
type PathStep = string | number;

const stepPattern =
  /\.([\p{L}_$][\p{L}\p{N}_$-]*)|\[(?:(-?(?:0|[1-9]\d*))|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\]/uy;

/**
 * The steps of a JSON path that names one value, such as `$.content[0].text` or `$['a b'][-1]` (RFC 9535, singular
 * queries); null if the text is not such a path.
 */
export function parsePath(path: string): readonly PathStep[] | null {
  if (!path.startsWith('$')) return null;
  const steps: PathStep[] = [];
  stepPattern.lastIndex = 1;
  while (stepPattern.lastIndex < path.length) {
    const found = stepPattern.exec(path);
    if (found === null) return null;
    const [, name, index, inDouble, inSingle] = found;
    const quoted = inDouble ?? inSingle;
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else steps.push((quoted ?? '').replaceAll(/\\(.)/gs, '$1'));
  }
  return steps;
}

/** The value at a path as it was written in a JSON text; null if it does not exist. */
export function textAtPath(text: string, steps: readonly PathStep[]): string | null {
  let found: string | null = text;
  for (const step of steps) {
    if (found === null) return null;
    found = typeof step === 'string' ? memberText(found, [step]) : (elementTexts(found).at(step) ?? null);
  }
  return found?.slice(skipSpace(found, 0)) ?? null;
}
