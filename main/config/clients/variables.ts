import type { FileFormat, VariableStyle } from '#shared/client-formats/format.ts';
import { isSecretVariable } from '#shared/secret-names.ts';
import { environmentName, replacePlaceholders } from '#config/placeholders.ts';

interface Style {
  /** A text of the client with these variables as placeholders of ours. */
  readonly read: (text: string) => string;
  /** A variable of the environment as the client writes it. */
  readonly write: (name: string, fallback: string) => string;
}

const asWritten = (text: string): string => text;

/** How clients write variables. */
const styles: Readonly<Record<VariableStyle, Style>> = {
  'env-colon': { read: asWritten, write: (name) => `\${env:${name}}` },
  vscode: { read: asWritten, write: (name) => `\${env:${name}}` },
  braced: {
    read: (text) =>
      text.replaceAll(
        // Ends with the text if it is not closed, so that it is not looked for again behind each of many.
        /\$\{([A-Za-z_]\w*)((?::-[^}]*)?)(\}|$)/g,
        (written: string, name: string, fallback: string, end: string) =>
          end === '' || isPlace(name) ? written : `\${env:${name}${fallback}}`,
      ),
    write: (name, fallback) => `\${${name}${fallback}}`,
  },
  'braced-default': {
    read: (text) =>
      text.replaceAll(
        /\$\{(?!env:|input:)([A-Za-z_]\w*):(?!-)([^}]*)(\}|$)/g,
        (written: string, name: string, fallback: string, end: string) =>
          end === '' ? written : `\${env:${name}:-${fallback}}`,
      ),
    write: (name, fallback) => `\${${name}${fallback.replace(/^:-/, ':')}}`,
  },
  dollar: {
    read: (text) => text.replaceAll(/\$([A-Za-z_]\w*)/g, (_, name: string) => `\${env:${name}}`),
    write: (name) => `$${name}`,
  },
  percent: {
    // Not the bytes of an encoded URL: `%C3%A4`.
    read: (text) => text.replaceAll(/%([A-Z_][A-Z0-9_]{2,80})%/g, (_, name: string) => `\${env:${name}}`),
    write: (name) => `%${name}%`,
  },
  'env-in-braces': {
    read: (text) =>
      text.replaceAll(/(\$?)\{env:([^{}]*)\}/g, (written: string, dollar: string, name: string) =>
        dollar === '' && name !== '' ? `\${env:${name}}` : written,
      ),
    write: (name) => `{env:${name}}`,
  },
  secrets: {
    read: (text) =>
      text.replaceAll(
        /\$\{\{ {0,9}(?:secrets|inputs)\.([\w./-]+) {0,9}\}\}/g,
        (_, name: string) => `\${input:${name}}`,
      ),
    write: (name) => `\${{ secrets.${name} }}`,
  },
  'double-braces': {
    read: (text) => text.replaceAll(/\{\{ {0,9}(\w+) {0,9}\}\}/g, (_, name: string) => `\${input:${name}}`),
    write: (name) => `{{${name}}}`,
  },
};

/** Placeholders of ours that look like a variable in braces, and folders that only a client knows. */
const isPlace = (name: string): boolean =>
  /^(?:workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|extensionPath|CLAUDE_PLUGIN_ROOT)$/.test(
    name,
  );

/** A text of the client's file with its variables as placeholders of our settings. */
export const fromClient = ({ variables }: Pick<FileFormat, 'variables'>, text: string): string =>
  variables.reduce((read, style) => styles[style].read(read), text);

/** A text of our settings with its placeholders as the client replaces them. */
export const toClient = ({ variables }: Pick<FileFormat, 'variables'>, text: string): string => {
  const [style = 'env-colon'] = variables;
  return replacePlaceholders(text, (placeholder) => {
    const { written, kind, name } = placeholder;
    if (kind === 'place') return written;
    if (kind === 'input')
      return style === 'vscode' ? written : styles[style].write(environmentName(name), '');
    return styles[style].write(name, placeholder.fallback === null ? '' : `:-${placeholder.fallback}`);
  });
};

/** Variables in a text of our settings that only the client could replace. */
export function unknownVariables({ variables }: Pick<FileFormat, 'variables'>, text: string): string[] {
  const rest = replacePlaceholders(text, () => ' ');
  const found: string[] = rest.match(/\$\{\{?[A-Za-z_ ][^{}$]{0,200}\}\}?/g) ?? [];
  if (variables.includes('env-in-braces'))
    found.push(...(rest.match(/\{(?:file|env):[^{}]{0,200}\}/g) ?? []));
  // Some clients run a command where its output is to be.
  if (variables.includes('dollar')) found.push(...(rest.match(/\$\([^()]{0,200}\)/g) ?? []));
  return [...new Set(found.map(withoutValue))];
}

/** A variable without the value after its name, where that may be secret: `${API_KEY:VALUE}`. */
function withoutValue(written: string): string {
  const [begin = '', name = ''] = /^[${]*([A-Za-z_][\w.]*)[:|=?-]/.exec(written) ?? [];
  return isSecretVariable(name) ? `${begin}…}` : written;
}
