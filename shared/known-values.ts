import type { Variable } from './contract/servers.ts';

/** A text of settings with the values of its variables as far as they are known and not secret. */
export function withKnownValues(text: string, variables: readonly Variable[]): string {
  return text.replaceAll(/\$\{(input:[^}]+)(\}|$)/g, (written, name: string, end: string) => {
    const known = end === '}' ? variables.find((one) => one.name === name) : undefined;
    return known === undefined || known.secret || known.value === null || known.value === ''
      ? written
      : known.value;
  });
}

/** What the user is asked for: `input:city` is `city`. */
export const labelOfVariable = ({ name }: Pick<Variable, 'name'>): string => name.replace(/^input:/, '');
