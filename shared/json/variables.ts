/** `${name}`; `$${name}` is the text `${name}` itself. */
const reference = /(\$?)\$\{([\p{L}_][\p{L}\p{N}_.-]*)\}/gu;

/** The variables that a string refers to. */
export const variableNames = (text: string): string[] =>
  [...text.matchAll(reference)].flatMap(([, escape, name]) =>
    escape === '' && name !== undefined ? [name] : [],
  );

/** A text in which nothing is a variable. */
export const withoutVariables = (text: string): string => text.replaceAll(reference, (whole) => `$${whole}`);

/**
 * Replaces the variables in all strings of a JSON text, but not in the names of members. A string that is nothing but a
 * variable becomes its value, whatever its type; in a longer string, values other than strings are written as JSON.
 *
 * @param variables JSON texts by name; those that are missing stay as they are
 */
export function withVariables(json: string, variables: ReadonlyMap<string, string>): string {
  if (!json.includes('${')) return json;
  // Every string has an end; if it had none, the end would be looked for again from each quote in it.
  return json.replaceAll(/("(?:[^"\\]|\\.)*(?:"|\\?$))(\s*:)?/gs, (whole, token: string, colon?: string) =>
    colon === undefined ? replaced(token, variables) : whole,
  );
}

function replaced(token: string, variables: ReadonlyMap<string, string>): string {
  const text = String(JSON.parse(token));
  const [only] = text.matchAll(reference);
  if (only !== undefined && only[0] === text && only[1] === '') return variables.get(only[2] ?? '') ?? token;
  const next = inText(text, variables, (value) => value);
  // What refers to nothing is sent as it was written, with its escapes.
  return next === text ? token : JSON.stringify(next);
}

/** Replaces the variables in a regular expression by texts that match themselves. */
export const inPattern = (pattern: string, variables: ReadonlyMap<string, string>): string =>
  inText(pattern, variables, (value) => value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));

/** Replaces the variables in a text that need not be JSON; strings as they are written in JSON, without their quotes. */
export const inRawText = (text: string, variables: ReadonlyMap<string, string>): string =>
  inText(text, variables, (value) => {
    const json = JSON.stringify(value);
    return json.slice(1, -1);
  });

function inText(
  text: string,
  variables: ReadonlyMap<string, string>,
  write: (value: string) => string,
): string {
  return text.replaceAll(reference, (whole, escape: string, name: string) => {
    if (escape !== '') return whole.slice(1);
    const value = variables.get(name);
    if (value === undefined) return whole;
    const parsed: unknown = JSON.parse(value);
    return write(typeof parsed === 'string' ? parsed : value);
  });
}
