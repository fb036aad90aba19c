import type { FileFormat } from '#shared/client-formats/format.ts';
import { type ClientFormat, fileFormats } from '#shared/client-formats/table.ts';
import { JsonEdit } from './json-edit.ts';
import { type JsonSource, readJson } from './json-source.ts';
import type { TextEdit } from './text-edit.ts';
import { TomlEdit } from './toml-edit.ts';
import { readToml } from './toml-source.ts';
import { YamlEdit } from './yaml-edit.ts';
import { readYaml } from './yaml-source.ts';

export type Syntax = FileFormat['syntax'];

interface SyntaxTools {
  readonly label: string;
  readonly read: (text: string) => JsonSource;
  readonly edit: (text: string) => TextEdit;
  /** A text without settings. */
  readonly empty: string;
}

/** What reads and edits each syntax. */
export const syntaxes: Readonly<Record<Syntax, SyntaxTools>> = {
  json: { label: 'JSON', read: (text) => readJson(text), edit: (text) => new JsonEdit(text), empty: '{}\n' },
  toml: { label: 'TOML', read: readToml, edit: (text) => new TomlEdit(text), empty: '' },
  yaml: { label: 'YAML', read: readYaml, edit: (text) => new YamlEdit(text), empty: '' },
};

/** Reads a text of a syntax. Never fails: what is wrong is in `problems`. */
export const readSource = (text: string, syntax: Syntax): JsonSource => syntaxes[syntax].read(text);

/** The syntax of a kind of text. */
export const syntaxOf = (format: ClientFormat): Syntax =>
  fileFormats.find(({ id }) => id === format)?.syntax ?? 'json';
