import type { TransportSettings, Variable } from './contract/servers.ts';

/** The values of variables that are known and not secret, by the names of the variables. */
export const knownValues = (variables: readonly Variable[]): ReadonlyMap<string, string> =>
  new Map(variables.flatMap(({ name, value, secret }) => (secret || !value ? [] : [[name, value] as const])));

/** A text of settings with these values. */
export const withKnownValues = (text: string, known: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\$\{(input:[^}]+)(\}|$)/g, (written, name: string, end: string) =>
    end === '}' ? (known.get(name) ?? written) : written,
  );

/** The command line or the URL of a server with the values of its variables that are known. */
export function withKnownTarget(
  transport: TransportSettings,
  variables: readonly Variable[],
): TransportSettings {
  const known = knownValues(variables);
  return transport.kind === 'stdio'
    ? { ...transport, args: transport.args.map((one) => withKnownValues(one, known)) }
    : { ...transport, url: withKnownValues(transport.url, known) };
}

/** What the user is asked for: `input:city` is `city`. */
export const labelOfVariable = ({ name }: Pick<Variable, 'name'>): string => name.replace(/^input:/, '');
