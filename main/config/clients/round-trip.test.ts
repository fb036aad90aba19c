import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ClientFormat, clientFormatSchema, type ServerSettings } from '#shared/contract/servers.ts';
import { fileFormat, fileFormats } from '#shared/client-formats/table.ts';
import { entriesOf } from './entries.ts';
import { membersOf } from './json-source.ts';
import { readConfiguration } from './read-configuration.ts';
import { readSource, syntaxOf } from './syntaxes.ts';
import { writeConfiguration } from './write-configuration.ts';

const corpus = join(import.meta.dirname, '../../../fixtures/client-configurations');

interface Sample {
  readonly format: ClientFormat;
  readonly file: string;
  readonly text: string;
}

const samples: Sample[] = fileFormats.flatMap(({ id }) =>
  readdirSync(join(corpus, id)).map((file) => ({
    format: clientFormatSchema.parse(id),
    file: `${id}/${file}`,
    text: readFileSync(join(corpus, id, file), 'utf8'),
  })),
);

const serversOf = ({ text, format }: Sample): ServerSettings[] =>
  readConfiguration(text, { format }).servers.map(({ settings }) => settings);

/** As the list of servers has them: secret values are kept elsewhere. */
const withoutSecrets = (settings: ServerSettings): ServerSettings => {
  const hide = <E extends { value: string | null; secret: boolean }>(entry: E): E =>
    entry.secret ? { ...entry, value: null } : entry;
  const { transport } = settings;
  return {
    ...settings,
    transport:
      transport.kind === 'stdio'
        ? { ...transport, env: transport.env.map(hide) }
        : { ...transport, headers: transport.headers.map(hide) },
  };
};

const commentsIn = (text: string, format: ClientFormat): string[] =>
  text.match(syntaxOf(format) === 'json' ? /(?<!:)\/\/[^\n\r]*|\/\*.*?\*\//g : /(?<=^|\s)#[^\n\r]*/g) ?? [];

test('there are files of each client, with servers, comments and secrets', () => {
  for (const { id } of fileFormats)
    expect(samples.filter(({ format }) => format === id).length, id).toBeGreaterThanOrEqual(1);
  expect(samples.flatMap(serversOf).length).toBeGreaterThan(60);
  expect(samples.flatMap(({ text, format }) => commentsIn(text, format)).length).toBeGreaterThan(20);
  expect(samples.map(({ text }) => text).join('')).toContain('planted');
});

describe.each(samples)('$file', (sample) => {
  const { text, format } = sample;

  test('written back unchanged is the same, byte by byte', () => {
    const written = writeConfiguration(text, format, serversOf(sample).map(withoutSecrets));
    expect(written.text).toBe(text);
  });

  test('with every server changed keeps its comments and all it does not know, and reads as changed', () => {
    const changed = serversOf(sample).map(
      (settings): ServerSettings => ({
        ...settings,
        transport:
          settings.transport.kind === 'stdio'
            ? {
                ...settings.transport,
                args: [...settings.transport.args, 'added'],
                env: [...settings.transport.env, { name: 'ADDED', value: addedValue(format), secret: false }],
              }
            : {
                ...settings.transport,
                url: `${settings.transport.url.replace(/[/]?(?:[?].*)?$/, '')}/changed`,
                headers: [...settings.transport.headers, { name: 'X-Added', value: 'yes', secret: false }],
              },
      }),
    );
    const written = writeConfiguration(text, format, changed.map(withoutSecrets)).text;
    expect(readSource(written, syntaxOf(format)).problems).toEqual([]);
    expect(commentsIn(written, format)).toEqual(commentsIn(text, format));
    expect(unknownKeys(written, format)).toEqual(unknownKeys(text, format));
    const read = readConfiguration(written, { format }).servers.map(({ settings }) => comparable(settings));
    expect(read).toEqual(changed.map(comparable));
  });

  test('with every server removed from it gets them back without a secret', () => {
    const servers = serversOf(sample).map(withoutSecrets);
    const written = writeConfiguration(null, format, servers);
    expect(written.text).not.toContain('planted');
    const read = readConfiguration(written.text, { format });
    expect(read.servers.map(({ settings }) => settings.name)).toEqual(servers.map(({ name }) => name));
    expect(read.servers.map(({ settings }) => settings.transport.kind)).toEqual(
      servers.map(({ transport }) => transport.kind),
    );
  });
});

/** Some clients have no variables of the environment, but secrets of their own. */
const addedValue = (format: ClientFormat): string =>
  ['secrets', 'double-braces'].includes(fileFormat(format).variables[0] ?? '') ? 'x' : '${env:HOME}/x';

/** All keys of a file that say nothing about how to start or reach a server. */
function unknownKeys(text: string, format: ClientFormat): string[] {
  const { root } = readSource(text, syntaxOf(format));
  if (root === null) return [];
  const descriptor = fileFormat(format);
  const { env, headers } = descriptor.keys;
  const changed = new Set(['args', 'env', 'headers', 'url', 'serverUrl', env, headers[0]]);
  return [
    ...membersOf(root).keys(),
    ...entriesOf(root, descriptor).flatMap(({ name, node }) =>
      [...membersOf(node).keys()].filter((key) => !changed.has(key)).map((key) => `${name}.${key}`),
    ),
  ];
}

/** What every file holds of a server; the pairs are in the order of the file. */
const comparable = ({ name, transport }: ServerSettings): object =>
  transport.kind === 'stdio'
    ? { name, ...transport, inherit: 'safe', env: pairsOf(transport.env) }
    : { name, ...transport, headers: pairsOf(transport.headers) };

const pairsOf = (pairs: readonly { name: string; value: string | null }[]) =>
  pairs.map(({ name, value }) => [name, value] as const).sort(([one], [other]) => one.localeCompare(other));
