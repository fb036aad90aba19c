/**
 * Placeholders in the settings of a server, as the configuration files of VS Code, Cursor and Windsurf have them:
 * `${env:NAME}`, `${env:NAME:-default}`, `${input:ID}`, `${workspaceFolder}`, `${workspaceFolderBasename}`,
 * `${userHome}`, `${pathSeparator}` and `${/}`. Settings keep them as written; they are replaced when the server starts.
 */
export type Placeholder = { readonly written: string } & (
  | { readonly kind: 'env'; readonly name: string; readonly fallback: string | null }
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'place'; readonly name: string }
);

/** An unclosed `${` matches to the end of the text and is no placeholder. So the end is not searched for again from each of many. */
const PATTERN =
  /\$\{(?:env:(?<env>[^}:]+)(?::-(?<fallback>[^}]*))?|input:(?<input>[^}]+)|(?<place>workspaceFolder|workspaceFolderBasename|userHome|pathSeparator|\/))(?<end>\}|$)/g;

/** The placeholders of a text in their order, repeated ones too. */
export function placeholdersIn(text: string): Placeholder[] {
  const found: Placeholder[] = [];
  replacePlaceholders(text, (placeholder) => {
    found.push(placeholder);
    return '';
  });
  return found;
}

/** The text with each placeholder replaced by what the function returns. */
export function replacePlaceholders(text: string, valueOf: (placeholder: Placeholder) => string): string {
  // The groups come last, after the offset and the whole text.
  return text.replace(PATTERN, (written: string, ...rest: unknown[]) => {
    const [env, fallback, input, place, end] = rest;
    if (end === '') return written;
    if (typeof env === 'string') {
      return valueOf({
        written,
        kind: 'env',
        name: env,
        fallback: typeof fallback === 'string' ? fallback : null,
      });
    }
    if (typeof input === 'string') return valueOf({ written, kind: 'input', name: input });
    return valueOf({ written, kind: 'place', name: String(place) });
  });
}

/** A placeholder as its settings have it, but without a default. */
export const withoutDefault = ({ kind, name }: Placeholder): string =>
  kind === 'place' ? `\${${name}}` : `\${${kind}:${name}}`;

/** `Bearer`, `Basic`, `token`: the scheme of an Authorization header. */
const SCHEME = /^(?:[A-Za-z][A-Za-z0-9-]* )?$/;

/** Whether a value has placeholders and nothing else that could be secret: at most a scheme such as `Bearer`. */
export const isOnlyPlaceholders = (value: string): boolean =>
  placeholdersIn(value).length > 0 && SCHEME.test(replacePlaceholders(value, () => ''));

/** A name for an environment variable, made of any other name: `github-token` is `GITHUB_TOKEN`. */
export const environmentName = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .replace(/^(?=\d)/, '_')
    .toUpperCase() || 'VALUE';
