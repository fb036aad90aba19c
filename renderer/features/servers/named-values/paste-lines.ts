/** A name and its value, found in pasted text. */
export interface PastedLine {
  readonly name: string;
  readonly value: string;
}

/** Lines such as `NAME=value` or `export NAME="value"`, as pasted from a file; null when they are not. */
export const parseEnvLines = (text: string): PastedLine[] | null =>
  parseLines(text, /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/);

/** Lines such as `Name: value`, as pasted from a request, or as options of curl; null when they are not. */
export const parseHeaderLines = (text: string): PastedLine[] | null =>
  parseLines(text.replaceAll(/\s*\\$/gm, ''), /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+):(?!\/\/)\s*(.*)$/, (line) =>
    line.replace(/^\s*(?:-H|--header)[\s=]+(["'])(.*)\1\s*$/, '$2'),
  );

function parseLines(
  text: string,
  pattern: RegExp,
  clean = (line: string): string => line,
): PastedLine[] | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  const found = lines.map((line) => pattern.exec(clean(line)));
  if (found.length === 0 || found.includes(null)) return null;
  return found.flatMap((match) =>
    match?.[1] === undefined ? [] : [{ name: match[1], value: unquoted((match[2] ?? '').trim()) }],
  );
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
