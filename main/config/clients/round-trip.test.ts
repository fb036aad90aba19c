import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ClientFormat, clientFormatSchema, type ServerSettings } from '#shared/contract/servers.ts';
import { fileFormats } from './formats.ts';
import { membersOf, nodeAt, readJson } from './json-source.ts';
import { readConfiguration } from './read-configuration.ts';
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

const commentsIn = (text: string) => text.match(/(?<!:)\/\/[^\n\r]*|\/\*.*?\*\//g) ?? [];

test('there are at least three files of each client, with servers, comments and secrets', () => {
  for (const { id } of fileFormats)
    expect(samples.filter(({ format }) => format === id).length).toBeGreaterThanOrEqual(3);
  expect(samples.flatMap(serversOf).length).toBeGreaterThan(30);
  expect(samples.flatMap(({ text }) => commentsIn(text)).length).toBeGreaterThan(10);
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
                env: [...settings.transport.env, { name: 'ADDED', value: '${env:HOME}/x', secret: false }],
              }
            : {
                ...settings.transport,
                url: `${settings.transport.url.replace(/[/]?(?:[?].*)?$/, '')}/changed`,
                headers: [...settings.transport.headers, { name: 'X-Added', value: 'yes', secret: false }],
              },
      }),
    );
    const written = writeConfiguration(text, format, changed.map(withoutSecrets)).text;
    expect(readJson(written).problems).toEqual([]);
    expect(commentsIn(written)).toEqual(commentsIn(text));
    expect(unknownKeys(written)).toEqual(unknownKeys(text));
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

/** All keys of a file that say nothing about how to start or reach a server. */
function unknownKeys(text: string): string[] {
  const { root } = readJson(text);
  if (root === null) return [];
  const keys = [...membersOf(root).keys()];
  const servers = fileFormats.flatMap(({ containers }) => containers.map((path) => nodeAt(root, path)));
  return [...new Set(servers)].reduce(
    (all: string[], container) => [
      ...all,
      ...[...membersOf(container)].flatMap(([name, entry]) =>
        [...membersOf(entry).keys()]
          .filter((key) => !['args', 'env', 'headers', 'url', 'serverUrl'].includes(key))
          .map((key) => `${name}.${key}`),
      ),
    ],
    keys,
  );
}

/** What every file holds of a server. Header values in JSON are in the order of the file. */
const comparable = ({ name, transport }: ServerSettings): object =>
  transport.kind === 'stdio'
    ? { name, ...transport, inherit: 'safe', env: transport.env.map(({ name: key, value }) => [key, value]) }
    : { name, ...transport, headers: transport.headers.map(({ name: key, value }) => [key, value]) };
