import { claudeFormats } from './claude.ts';
import { editorFormats } from './editors.ts';
import type { FileFormat, TextFormat } from './format.ts';
import { terminalFormats } from './terminals.ts';

const files = [...claudeFormats, ...editorFormats, ...terminalFormats] as const;

const texts = [
  { id: 'bundle', label: 'MCP bundle (manifest.json)', fileName: 'manifest.json', isWritten: false },
  { id: 'registry', label: 'server.json', fileName: 'server.json', isWritten: true },
  { id: 'command-line', label: 'Command line', fileName: 'server.sh', isWritten: true },
] as const satisfies readonly TextFormat[];

/** The name of a kind of text that servers are imported from and exported to. */
export type ClientFormat = (typeof files)[number]['id'] | (typeof texts)[number]['id'];

/** The configuration files of clients, which can be read and written. */
export const fileFormats: readonly FileFormat<ClientFormat>[] = files;

/** All kinds of text. */
export const textFormats: readonly TextFormat<ClientFormat>[] = [
  ...files.map(({ id, label, fileName }) => ({ id, label, fileName, isWritten: true })),
  ...texts,
];

/** The names of all kinds of text. */
export const clientFormats: readonly ClientFormat[] = textFormats.map(({ id }) => id);

const byId = new Map(textFormats.map((format) => [format.id, format]));

/** What a kind of text is called, such as `VS Code`. */
export const formatLabel = (id: ClientFormat): string => byId.get(id)?.label ?? id;

/** The usual name of a new file. */
export const usualFileName = (id: ClientFormat): string => byId.get(id)?.fileName ?? id;

/** The format of this name. @throws RangeError for kinds of text that are no file of a client */
export function fileFormat(id: ClientFormat): FileFormat<ClientFormat> {
  const format = fileFormats.find((one) => one.id === id);
  if (format === undefined) throw new RangeError(`${id} is no format of configuration files`);
  return format;
}
