import type { FileFormat } from '#shared/client-formats/format.ts';
import type { Path } from './text-edit.ts';
import { toClient } from './variables.ts';

export type PairKind = 'env' | 'headers';

/** Where a variable or header of a server goes in its entry, and what is written there. */
export interface WrittenPair {
  readonly at: Path;
  readonly value: string;
  /** Whether `at` is a list, to which the value is added. */
  readonly isItem: boolean;
}

/** @param value with placeholders of our settings */
export function writtenPair(format: FileFormat, kind: PairKind, name: string, value: string): WrittenPair {
  const { env, envNames, headers, headerVariables, bearerVariable } = format.keys;
  if (kind === 'env') {
    const isPassedOn = [
      `\${env:${name}}`,
      ...(envNames?.from === 'store' ? [`\${input:${name}}`] : []),
    ].includes(value);
    if (envNames !== null && isPassedOn) return { at: [envNames.key], value: name, isItem: true };
    return { at: [env, name], value: toClient(format, value), isItem: false };
  }
  const bearer = /^Bearer \$\{env:([^}:]+)\}$/.exec(value)?.[1];
  if (bearerVariable !== null && bearer !== undefined && name.toLowerCase() === 'authorization')
    return { at: [bearerVariable], value: bearer, isItem: false };
  const variable = /^\$\{env:([^}:]+)\}$/.exec(value)?.[1];
  if (headerVariables !== null && variable !== undefined)
    return { at: [headerVariables, name], value: variable, isItem: false };
  return { at: [...headers, name], value: toClient(format, value), isItem: false };
}

/** What to do about a secret that is not exported: its value is the variable's of this name. */
export function secretAdvice(format: FileFormat, kind: PairKind | 'text', variable: string): string {
  const { keys, label, variables } = format;
  const [style] = variables;
  if (style === 'vscode') return `Secret values are not exported. ${label} will ask for it.`;
  const isStored =
    style === 'secrets' || style === 'double-braces' || (kind === 'env' && keys.envNames?.from === 'store');
  if (isStored) return `Secret values are not exported. Give ${label} the secret ${variable}.`;
  const isNamed =
    (kind === 'env' && keys.envNames !== null) || (kind === 'headers' && keys.headerVariables !== null);
  if (style !== undefined || isNamed)
    return `Secret values are not exported. Set ${variable} in the environment of ${label}.`;
  const written = toClient(format, `\${env:${variable}}`);
  return `Secret values are not exported. ${label} replaces no variables: write the value in place of ${written}.`;
}
