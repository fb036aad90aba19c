/** What is wrong, by the field it is about: `name`, `commandLine`, `url`, `env.0`, `timeouts.request`, … */
export type DraftErrors = Readonly<Record<string, string>>;

export interface DraftOptions {
  readonly isWindows: boolean;
}

/** What the part of a draft that one kind of transport has amounts to. */
export interface ReadPart {
  /** What the server may be called when nobody says. */
  readonly name: string;
  /** The transport as the contract wants it, valid or not. */
  readonly transport: unknown;
  /** What the contract does not say is wrong, or says less well. */
  readonly errors: DraftErrors;
  /** Where on the form an issue of the contract belongs, by its path inside the transport. */
  readonly placeOf: (path: readonly PropertyKey[]) => string;
}

export const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
