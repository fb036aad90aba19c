import { holdsSecret } from '#shared/secret-names.ts';
import type { JsonNode } from '#config/clients/jsonc.ts';
import { elementsOf } from '#config/clients/json-source.ts';
import { isTrue, textIn } from './entry-members.ts';
import { choicesOf, idOf, type Inputs } from './inputs.ts';

/**
 * The words of a list of arguments, in its order. A named argument is two words, as most programs take it: `--city`,
 * `Berlin`. An optional one without a value is left out.
 *
 * @param options what the program that gets them knows; by default nothing
 */
export function readArguments(
  list: JsonNode | undefined,
  inputs: Inputs,
  options: KnownOptions = { isSwitch: () => false, setsVariable: () => false },
): string[] {
  const nodes = elementsOf(list);
  return nodes.flatMap((node, index) => {
    const name = textIn(node, 'name');
    if (name === null || textIn(node, 'type') === 'positional') {
      const before = nodes[index - 1];
      const flag = textIn(before, 'name') ?? textIn(before, 'value') ?? '';
      return positional(node, inputs, options.setsVariable(flag));
    }
    // The flag and its value may be two arguments of the list.
    const next = nodes[index + 1];
    const isFollowed =
      next !== undefined && textIn(next, 'type') === 'positional' && textIn(next, 'value') !== null;
    return named(node, name, inputs, options, isFollowed);
  });
}

/** The options of a program, by their names. */
export interface KnownOptions {
  /** Whether it takes no value. */
  readonly isSwitch: (word: string) => boolean;
  /** Whether its value is a variable, which is not set if nobody gives it a value. */
  readonly setsVariable: (word: string) => boolean;
}

/** What a package calls an argument: in the URL of its transport, and to the user. */
export const nameOfArgument = (node: JsonNode): string =>
  textIn(node, 'valueHint') ?? textIn(node, 'name') ?? 'argument';

function positional(node: JsonNode, inputs: Inputs, isVariable: boolean): string[] {
  const name = nameOfArgument(node);
  const hasValue = textIn(node, 'value') !== null;
  const value = inputs.valueOf(node, {
    name,
    isLeftOutWithoutValue: true,
    canBeOmitted: isVariable && hasValue,
    asksForUnknown: isVariable,
  });
  if (value !== null) return [withoutSecret(node, name, value, inputs)];
  // The first schema required a hint, so its authors wrote the word itself there.
  if (name.startsWith('-')) return [name];
  inputs.leaveOut(node, name);
  return [];
}

function named(
  node: JsonNode,
  written: string,
  inputs: Inputs,
  { isSwitch, setsVariable }: KnownOptions,
  isFollowed: boolean,
): string[] {
  // Some write the flag and its value into the name.
  const space = written.search(/\s/);
  const name = space < 0 ? written : written.slice(0, space);
  const rest = space < 0 ? [] : [written.slice(space).trim()];
  const isKnown = isSwitch(name);
  if (isKnown || textIn(node, 'format') === 'boolean') {
    const given = (textIn(node, 'value') ?? textIn(node, 'default'))?.toLowerCase();
    if (given === 'true' || (given === undefined && (isKnown || isTrue(node, 'isRequired')))) return [name];
    if (given === undefined) inputs.leaveOut(node, name);
    if (given === undefined || given === 'false') return [];
  }
  const isVariable = setsVariable(name) && textIn(node, 'value') !== null;
  const context = {
    name,
    isLeftOutWithoutValue: true,
    canBeOmitted: isVariable,
    asksForUnknown: isVariable,
  };
  const value = inputs.valueOf(node, context);
  if (value !== null) {
    const word = withoutSecret(node, name, value, inputs);
    return name.endsWith('=') ? [name + word] : [name, ...rest, word];
  }
  const hasValue = textIn(node, 'value') !== null;
  if (rest.length > 0 || (!hasValue && (isFollowed || isBare(node)))) return [name, ...rest];
  inputs.leaveOut(node, name);
  return [];
}

/** Whether nothing says that the argument has a value: then it is a flag, such as `--rm`. */
const isBare = (node: JsonNode): boolean =>
  ['description', 'format', 'valueHint', 'placeholder'].every((key) => textIn(node, key) === null) &&
  choicesOf(node).length === 0;

/** A secret that the entry has in clear becomes a variable, so that it is kept where secrets are. */
function withoutSecret(node: JsonNode, name: string, value: string, inputs: Inputs): string {
  const isSecret = isTrue(node, 'isSecret') || holdsSecret(idOf(name), value);
  return isSecret && !value.includes('${') ? inputs.hide(idOf(name), value) : value;
}
