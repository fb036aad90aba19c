import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Server, Variable } from '#shared/contract/servers.ts';
import { isSecretVariable } from '#shared/secret-names.ts';
import { type Placeholder, placeholdersIn, replacePlaceholders } from './placeholders.ts';

/**
 * Replaces the placeholders in the settings of one server when it starts. Only saved servers have placeholders: what is
 * given on the command line is passed on as it is.
 */
export class Expansion {
  readonly #server: Pick<Server, 'name' | 'source'>;
  readonly #variables: ReadonlyMap<string, Variable>;

  /** @param variables the server's, with the values that are held */
  constructor(server: Pick<Server, 'name' | 'source'>, variables: readonly Variable[]) {
    this.#server = server;
    this.#variables = new Map(variables.map((variable) => [variable.name, variable]));
  }

  /** The text with all values. @throws FaultError if a value is missing */
  expand(text: string): string {
    return this.#isLiteral ? text : replacePlaceholders(text, (placeholder) => this.#valueOf(placeholder));
  }

  /** The text with its values except the secret ones, to show to the user. @throws FaultError as `expand` */
  shown(text: string): string {
    if (this.#isLiteral) return text;
    return replacePlaceholders(text, (placeholder) =>
      this.#isSecret(placeholder) ? placeholder.written : this.#valueOf(placeholder),
    );
  }

  /** The secret values in texts, by what they are, such as `input:token`. @throws FaultError as `expand` */
  secretsIn(texts: readonly string[]): Map<string, string> {
    const secret = texts
      .flatMap((text) => this.usedIn(text))
      .filter((placeholder) => this.#isSecret(placeholder));
    return new Map(secret.map((one) => [`${one.kind}:${one.name}`, this.#valueOf(one)]));
  }

  /** The placeholders of a text that are replaced. */
  usedIn(text: string): Placeholder[] {
    return this.#isLiteral ? [] : placeholdersIn(text);
  }

  /**
   * The origin of a URL with all values.
   *
   * @throws FaultError if it is not a URL with them, or the value of a secret decides it: it would be looked up as a part of a name, and cannot be shown
   */
  originOf(url: string): string {
    const whole = this.url(url);
    const origin = originIn(whole);
    const withoutSecrets = replacePlaceholders(url, (placeholder) =>
      this.#isSecret(placeholder) ? 'secret' : this.#valueOf(placeholder),
    );
    if (origin === null || originIn(withoutSecrets) !== origin)
      throw new FaultError(hostIsSecret(this.#server.name));
    return origin;
  }

  /** A URL with all values. @throws FaultError if it is not a URL with them, and as `expand` */
  url(text: string): string {
    const url = this.expand(text);
    if (URL.canParse(url) && /^https?:\/\//i.test(url)) return url;
    throw new FaultError(notAUrl(this.#server.name, this.shown(text)));
  }

  /** Whether a text uses an optional variable without a value: then what has it is not sent. */
  isOmitted(text: string): boolean {
    return this.usedIn(text).some(({ kind, name }) => {
      const variable = kind === 'input' ? this.#variables.get(`input:${name}`) : undefined;
      return variable?.isOptional === true && (variable.value ?? '') === '';
    });
  }

  /** Whether a text has placeholders that are replaced. */
  changes(text: string): boolean {
    return this.usedIn(text).length > 0;
  }

  get #isLiteral(): boolean {
    return this.#server.source !== 'user';
  }

  #isSecret({ kind, name }: Placeholder): boolean {
    if (kind === 'env') return isSecretVariable(name);
    return kind === 'input' && (this.#variables.get(`input:${name}`)?.secret ?? true);
  }

  #valueOf(placeholder: Placeholder): string {
    const { kind, name } = placeholder;
    switch (kind) {
      case 'env': {
        // As in shells, a default stands for an empty value too.
        const value =
          placeholder.fallback === null ? process.env[name] : process.env[name] || placeholder.fallback;
        if (value === undefined) throw new FaultError(variableNotSet(this.#server.name, name));
        return value;
      }
      case 'input': {
        const value = this.#variables.get(`input:${name}`)?.value ?? null;
        if (value === null) throw new FaultError(inputNotGiven(this.#server.name, name));
        return value;
      }
      case 'place':
        return this.#placeOf(name);
    }
  }

  #placeOf(name: string): string {
    const path = process.platform === 'win32' ? win32 : posix;
    if (name === 'userHome') return homedir();
    if (name === 'pathSeparator' || name === '/') return path.sep;
    const folder = this.#variables.get('workspaceFolder')?.value ?? null;
    if (folder === null) throw new FaultError(noWorkspace(this.#server.name));
    return name === 'workspaceFolder' ? folder : path.basename(folder);
  }
}

const originIn = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

const hostIsSecret = (server: string): Fault => ({
  code: 'host-is-secret',
  what: `"${server}" was not connected to, because the value of a secret variable would change the host in its URL.`,
  why: 'A character such as "/" or "@" in the value ends the user name, or the password, before the host.',
  next: 'Write such characters percent-encoded into the variable ("%2F"), or send the value in a header.',
});

const notAUrl = (server: string, shown: string): Fault => ({
  code: 'url-not-valid',
  what: `"${server}" was not connected to, because its URL is no http(s) address with the values of its variables: ${shown}`,
  why: 'A value has a character that the host or the port cannot have, or is a whole URL where only a part of one belongs.',
  next: 'Correct the values under Variables in the settings of the server.',
});

const variableNotSet = (server: string, name: string): Fault => ({
  code: 'variable-not-set',
  what: `"${server}" uses the variable ${name}, which is not set.`,
  why: `Its settings have \${env:${name}}, and Sightglass was started without that variable.`,
  next: `Set ${name} and start Sightglass again, or write the value into the settings of the server.`,
});

const inputNotGiven = (server: string, id: string): Fault => ({
  code: 'input-not-given',
  what: `"${server}" needs a value for \${input:${id}}.`,
  why: 'It was not given at the import, or it is a secret that is no longer held: without a key store, secrets are forgotten when Sightglass quits.',
  next: `Import the server again and give the value, write it into the settings, or in the terminal pass --input ${id}.`,
});

const noWorkspace = (server: string): Fault => ({
  code: 'no-workspace',
  what: `"${server}" uses \${workspaceFolder}, and its folder is not known.`,
  why: 'The configuration was pasted, or does not belong to a project.',
  next: 'Import it from its file, or write the folder into the settings of the server.',
});
