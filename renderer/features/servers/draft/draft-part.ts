/** Error messages by field: `name`, `commandLine`, `url`, `env.0`, `timeouts.request`, … */
export type DraftErrors = Readonly<Record<string, string>>;

export interface DraftOptions {
  readonly isWindows: boolean;
}

/** The parsed transport of a draft. */
export interface ParsedTransport {
  /** The default name of the server. */
  readonly name: string;
  /** The draft in the shape of the contract. It may be invalid. */
  readonly transport: unknown;
  /** Errors that the contract's schema does not find, or words less clearly. */
  readonly errors: DraftErrors;
  /** The field of the form for an issue of the schema, by its path inside the transport. */
  readonly fieldOf: (path: readonly PropertyKey[]) => string;
}

export const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
