/** The server that is tested, and how. */
export interface SavedCallOptions {
  /** The program of the server with its arguments. */
  readonly command?: readonly string[];
  /** The working folder of the program; by default the current one. */
  readonly cwd?: string;
  /** Variables to set for the program. */
  readonly env?: Readonly<Record<string, string>>;
  /** The address of a server over HTTP, in place of a program. */
  readonly url?: string;
  /** Header lines for every request to it. Those with the name of a credential, such as `Authorization`, are kept out of the trace. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Header lines whose values are kept out of the trace, by whatever name. */
  readonly secretHeaders?: readonly (readonly [name: string, value: string])[];
  /** The name of a saved server, in place of a program and an address. */
  readonly server?: string;
  /** Whether the variables in the settings of the saved server (`${env:TOKEN}`) are sent to it, although nobody approved that here. */
  readonly allowVariables?: boolean;
  /** Values of variables of the file, of any JSON type. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Names of variables of the environment to take as variables of the file; their values are kept out of the trace. */
  readonly secrets?: readonly string[];
  /** Whether to call tools that are not read-only by their annotations; by default unless the variable CI is set. */
  readonly allowWrites?: boolean;
  /** Milliseconds in which the server must be ready, and each call must end; 60,000 by default. */
  readonly timeout?: number;
}

/**
 * Makes each saved call of a test file (`*.mcptest.yaml`) a test of vitest, in a suite named like the file. They run in their
 * order in one session. Await it at the top of a test file.
 */
export declare function testSavedCalls(file: string, options: SavedCallOptions): Promise<void>;
