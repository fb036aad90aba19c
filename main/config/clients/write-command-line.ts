import { joinCommandLine } from '#shared/command-line.ts';
import type { LeftOut, ServerSettings } from '#shared/contract/servers.ts';
import {
  environmentName,
  isOnlyPlaceholders,
  placeholdersIn,
  replacePlaceholders,
} from '#config/placeholders.ts';
import { decodedUrlPart, withUrlSecrets } from '#shared/url-secrets.ts';
import { withoutSecretArguments } from './secret-arguments.ts';

/** Writes servers as command lines of a POSIX shell and as URLs, one a line. Secret values are variables of the shell. */
export function writeCommandLines(servers: readonly ServerSettings[]): {
  text: string;
  leftOut: (LeftOut & { server: string })[];
} {
  const leftOut: (LeftOut & { server: string })[] = [];
  const lines = servers.map((server) => {
    const { name, transport } = server;
    const secret = (key: string, variable: string) => {
      leftOut.push({
        server: name,
        key,
        why: `Secret values are not exported. Set ${variable} in the shell.`,
      });
      return `\${env:${variable}}`;
    };
    if (transport.kind === 'http') {
      for (const header of transport.headers)
        leftOut.push({ server: name, key: `headers.${header.name}`, why: 'A URL has no headers.' });
      return withUrlSecrets(transport.url, ({ name: parameter, value }) =>
        isOnlyPlaceholders(decodedUrlPart(value))
          ? null
          : secret(`url (${parameter})`, environmentName(parameter)),
      );
    }
    if (transport.cwd !== null)
      leftOut.push({ server: name, key: 'cwd', why: 'A command line starts in the folder of its shell.' });
    const assigned = transport.env.map((entry) => {
      const isHidden = entry.value === null || (entry.secret && !isOnlyPlaceholders(entry.value));
      const value = isHidden ? secret(`env.${entry.name}`, entry.name) : (entry.value ?? '');
      return `${entry.name}=${word(value)}`;
    });
    const args = withoutSecretArguments(transport.args, (flag) =>
      secret(`args (${flag})`, environmentName(flag)),
    );
    return [...assigned, ...[transport.command, ...args].map(word)].join(' ');
  });
  return { text: `${lines.join('\n')}\n`, leftOut };
}

/** A word of a shell, with its placeholders as variables of the shell. */
function word(text: string): string {
  if (placeholdersIn(text).length === 0) return joinCommandLine([text]);
  // In double quotes, a shell replaces variables and leaves everything else that is escaped.
  let quoted = '';
  let rest = text;
  for (const placeholder of placeholdersIn(text)) {
    const at = rest.indexOf(placeholder.written);
    quoted += escaped(rest.slice(0, at)) + variable(placeholder.written);
    rest = rest.slice(at + placeholder.written.length);
  }
  return `"${quoted}${escaped(rest)}"`;
}

const escaped = (text: string): string => text.replaceAll(/[\\"$`]/g, String.raw`\$&`);

const variable = (written: string): string =>
  replacePlaceholders(written, (placeholder) => {
    const { kind, name } = placeholder;
    if (kind === 'env') {
      return placeholder.fallback === null ? `\${${name}}` : `\${${name}:-${escaped(placeholder.fallback)}}`;
    }
    if (name === 'userHome') return '${HOME}';
    if (name === '/' || name === 'pathSeparator') return '/';
    return name === 'workspaceFolder' ? '${PWD}' : `\${${environmentName(name)}}`;
  });
