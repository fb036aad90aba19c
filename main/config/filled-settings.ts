import type { HttpSettings, Server, StdioSettings } from '#shared/contract/servers.ts';
import type { SentVariables } from '#shared/contract/sessions.ts';
import { isDistinct, isSecretVariable } from '#shared/secret-names.ts';
import { secretsInUrl } from '#shared/url-secrets.ts';
import { Expansion } from './expansion.ts';
import { withoutDefault } from './placeholders.ts';
import type { GivenAddress, GivenValues, ServerSecrets } from './server-secrets.ts';

type CommandLine = Pick<StdioSettings, 'command' | 'args' | 'cwd'>;

/** The command line of a server, ready to run. */
export interface GivenCommand extends CommandLine {
  /** The command line as the user may see it, with placeholders in place of secrets. */
  readonly shown: CommandLine;
  /** The secret values in it, by what they are, such as `input:token`. */
  readonly secrets: Map<string, string>;
}

/** The settings of a server with its secrets and the values of its placeholders: what is started, and what is sent. */
export class FilledSettings {
  readonly #secrets: ServerSecrets;

  constructor(secrets: ServerSecrets) {
    this.#secrets = secrets;
  }

  /** The command line of a saved server with the values of its placeholders. @throws FaultError if one is missing */
  async commandOf(server: Server, { command, args, cwd }: StdioSettings): Promise<GivenCommand> {
    const expansion = await this.#expansionOf(server);
    const words = [command, ...args, ...(cwd === null ? [] : [cwd])];
    return {
      command: expansion.expand(command),
      args: args.map((arg) => expansion.expand(arg)),
      cwd: cwd === null ? null : expansion.expand(cwd),
      shown: {
        command: expansion.shown(command),
        args: args.map((arg) => expansion.shown(arg)),
        cwd: cwd === null ? null : expansion.shown(cwd),
      },
      secrets: expansion.secretsIn(words),
    };
  }

  /**
   * The variables of a stdio server, secret values included; a value that is not held is left out.
   *
   * @throws FaultError if the value of a placeholder is missing
   */
  async environmentOf(
    server: Server,
  ): Promise<{ values: Record<string, string>; secrets: Map<string, string> }> {
    if (server.transport.kind !== 'stdio') return { values: {}, secrets: new Map() };
    const { lines, secrets } = await this.#valuesOf(server);
    return { values: Object.fromEntries(lines), secrets };
  }

  /**
   * The header lines of an HTTP server in their order, secret values included; a value that is not held is left out.
   *
   * @throws FaultError if the value of a placeholder is missing
   */
  async headersOf(
    server: Server,
  ): Promise<{ lines: [name: string, value: string][]; secrets: Map<string, string> }> {
    if (server.transport.kind !== 'http') return { lines: [], secrets: new Map() };
    return this.#valuesOf(server);
  }

  /** The variables or headers with the values of their placeholders. */
  async #valuesOf(server: Server): Promise<GivenValues> {
    const expansion = await this.#expansionOf(server);
    const { lines: all, secrets } = await this.#secrets.valuesOf(server);
    const lines = all.filter(([, value]) => !expansion.isOmitted(value));
    const area = server.transport.kind === 'stdio' ? 'env' : 'header';
    const expanded = new Map(
      [...secrets].flatMap(([kind, value]) =>
        expansion.isOmitted(value) ? [] : [[kind, expansion.expand(value)] as const],
      ),
    );
    for (const [name, value] of lines) {
      const used = expansion.secretsIn([value]);
      for (const [kind, secret] of used) expanded.set(kind, secret);
      // A header that is filled in may be a credential, regardless of its name.
      const isSecret = used.size > 0 || area === 'header' || isSecretVariable(name);
      const kind = `${area}:${name}`;
      if (expansion.changes(value) && isSecret && !secrets.has(kind))
        expanded.set(kind, expansion.expand(value));
    }
    return { lines: lines.map(([name, value]) => [name, expansion.expand(value)]), secrets: expanded };
  }

  /**
   * The whole URL of an HTTP server, as it is shown, and which parts of it are secret.
   *
   * @throws FaultError if a part is not held, it is not a URL with the values of its variables, or a secret decides its host
   */
  async addressOf(
    server: Server,
    settings: HttpSettings,
  ): Promise<GivenAddress & { readonly shown: string }> {
    const address = await this.#secrets.addressOf(server, settings);
    const expansion = await this.#expansionOf(server);
    if (!expansion.changes(address.url)) return { ...address, shown: settings.url };
    expansion.originOf(address.url);
    const url = expansion.url(address.url);
    const inUrl = secretsInUrl(url).filter(({ value }) => isDistinct(value));
    return {
      url,
      shown: expansion.shown(settings.url),
      secrets: new Map([
        ...expansion.secretsIn([address.url]),
        ...inUrl.map(({ name, value }): [string, string] => [`url:${name}`, value]),
      ]),
    };
  }

  /**
   * The variables whose values an HTTP server gets, and where; null if its settings use none. What was given with the command is
   * not a variable of the settings.
   *
   * @throws FaultError if a value is missing, or decides the host
   */
  async sentVariables(server: Server, settings: HttpSettings): Promise<SentVariables | null> {
    const expansion = await this.#expansionOf(server);
    const { url } = await this.#secrets.addressOf(server, settings);
    const { lines } = await this.#secrets.valuesOf(server);
    const given = this.#secrets.supplied(server);
    const places = new Map<string, Set<string>>();
    for (const [place, text] of [['URL', url] as const, ...lines]) {
      if (expansion.isOmitted(text)) continue;
      for (const placeholder of expansion.usedIn(text)) {
        if (given.has(`${placeholder.kind}:${placeholder.name}`)) continue;
        const variable = withoutDefault(placeholder);
        places.set(variable, (places.get(variable) ?? new Set()).add(place));
      }
    }
    if (places.size === 0) return null;
    const variables = [...places].map(([variable, where]) => ({ variable, places: [...where] }));
    return {
      origin: expansion.originOf(url),
      variables: variables.toSorted((one, other) => (one.variable < other.variable ? -1 : 1)),
    };
  }

  async #expansionOf(server: Server): Promise<Expansion> {
    return new Expansion(server, await this.#secrets.variablesOf(server));
  }
}
