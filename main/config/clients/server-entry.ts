import {
  defaultClientProfile,
  defaultTimeouts,
  type HttpSettings,
  importedClientProfile,
  type LeftOut,
  type ServerSettings,
  type StdioSettings,
} from '#shared/contract/servers.ts';
import type { FileFormat } from '#shared/client-formats/format.ts';
import { environmentName, isOnlyPlaceholders, placeholdersIn } from '#config/placeholders.ts';
import { decodedUrlPart, withUrlSecrets } from '#shared/url-secrets.ts';
import { withoutSecretArguments } from './secret-arguments.ts';
import { toClient } from './variables.ts';
import { type PairKind, secretAdvice, type WrittenPair, writtenPair } from './written-pair.ts';

/** What a client's file says of one server, and what it cannot say. */
export class ServerEntry {
  readonly leftOut: LeftOut[] = [];
  readonly #server: ServerSettings;
  readonly #format: FileFormat;
  readonly #onInput: (id: string) => void;

  /** @param onInput is told the inputs that the client asks for */
  constructor(server: ServerSettings, format: FileFormat, onInput: (id: string) => void) {
    this.#server = server;
    this.#format = format;
    this.#onInput = onInput;
  }

  /** The entry of a server that the file does not have yet. */
  get entry(): Record<string, unknown> {
    const { transport } = this.#server;
    const { types, keys, fixed, isNamed } = this.#format;
    const type = transport.kind === 'stdio' ? types.stdio : types[transport.transport];
    const entry: Record<string, unknown> = {
      ...(isNamed && { name: this.#server.name }),
      ...fixed[transport.kind],
      ...(type !== null && { [keys.type]: type }),
    };
    if (transport.kind === 'stdio') {
      const command = this.text(transport.command);
      const args = this.args(transport);
      Object.assign(
        entry,
        keys.args === null
          ? { [keys.command]: [command, ...args] }
          : { [keys.command]: command, [keys.args]: args },
      );
      for (const { name, value } of transport.env) this.#addPair(entry, 'env', name, value);
      const cwd = this.cwd(transport);
      if (cwd !== null) entry[keys.cwd ?? 'cwd'] = cwd;
      return entry;
    }
    entry[this.urlKeyFor(transport.transport)] = this.url(transport.url);
    for (const { name, value } of transport.headers) this.#addPair(entry, 'headers', name, value);
    return entry;
  }

  #addPair(entry: Record<string, unknown>, kind: PairKind, name: string, value: string | null): void {
    const pair = this.pair(kind, name, value);
    const [last = ''] = pair.at.slice(-1);
    let owner = entry;
    for (const key of pair.at.slice(0, -1)) {
      const inside = owner[key];
      owner = isObject(inside) ? inside : (owner[key] = {});
    }
    const list = owner[last];
    owner[last] = pair.isItem ? [...(Array.isArray(list) ? list : []), pair.value] : pair.value;
  }

  urlKeyFor(transport: HttpSettings['transport']): string {
    const { urls } = this.#format.keys;
    return (
      (
        urls.find((one) => one.transport === transport) ??
        urls.find((one) => one.transport === 'auto') ??
        urls[0]
      )?.key ?? 'url'
    );
  }

  /** A variable or header as the client has it. @param as the name that the file has for it */
  pair(kind: PairKind, name: string, value: string | null, as: string = name): WrittenPair {
    return writtenPair(this.#format, kind, as, this.#valueOf(kind, name, value));
  }

  /** A value with placeholders of our settings; one for a secret. */
  #valueOf(kind: PairKind, name: string, value: string | null): string {
    const { transport } = this.#server;
    const pairs = transport.kind === 'stdio' ? transport.env : transport.headers;
    const isSecret = pairs.some((pair) => pair.name === name && pair.secret);
    if (value === null || (isSecret && !isOnlyPlaceholders(value)))
      return this.#placeholder(
        `${kind}.${name}`,
        kind,
        kind === 'env' ? name : `${this.#server.name} ${name}`,
      );
    this.#declareInputs(value);
    return value;
  }

  args({ args }: StdioSettings): string[] {
    return withoutSecretArguments(args, (name) => this.#placeholder(`args (${name})`, 'text', name)).map(
      (arg) => this.text(arg),
    );
  }

  url(url: string): string {
    const whole = withUrlSecrets(url, ({ name, value }) =>
      isOnlyPlaceholders(decodedUrlPart(value))
        ? null
        : this.#placeholder(`url (${name})`, 'text', `${this.#server.name} ${name}`),
    );
    return this.text(whole);
  }

  cwd({ cwd }: StdioSettings): string | null {
    if (cwd === null) return null;
    if (this.#format.keys.cwd !== null) return this.text(cwd);
    this.#loses('cwd', `${this.#format.label} has no working folder for a this.#server.`);
    return null;
  }

  /** A placeholder of our settings for a secret, and a note that it has to be given. */
  #placeholder(key: string, kind: PairKind | 'text', name: string): string {
    const variable = environmentName(name);
    this.#loses(key, secretAdvice(this.#format, kind, variable));
    if (!this.#format.variables.includes('vscode')) return `\${env:${variable}}`;
    const placeholder = `\${input:${variable.toLowerCase().replaceAll('_', '-')}}`;
    this.#declareInputs(placeholder);
    return placeholder;
  }

  /** A text with its placeholders as the client has them; declares its inputs. */
  text(text: string): string {
    this.#declareInputs(text);
    return toClient(this.#format, text);
  }

  #declareInputs(text: string): void {
    for (const { kind, name } of placeholdersIn(text)) {
      if (kind !== 'input') continue;
      if (this.#format.variables.includes('vscode')) this.#onInput(name);
      else this.#noteInput(name);
    }
  }

  /** A value of ours that the client has to get from somewhere else. */
  #noteInput(id: string): void {
    const key = `input:${id}`;
    if (this.leftOut.some((one) => one.key === key)) return;
    this.#loses(key, secretAdvice(this.#format, 'text', environmentName(id)));
  }

  /** Names the settings that no client's file can hold. */
  nameLosses(): void {
    const { transport, timeouts, client, era, revision } = this.#server;
    const { label, takesHttp } = this.#format;
    const only = `Only Sightglass has this setting.`;
    if (transport.kind === 'http') {
      if (!takesHttp) this.#loses('url', `${label} starts servers only as processes.`);
      const { caFile, certFile, keyFile, accepted } = transport.tls;
      if ([caFile, certFile, keyFile, accepted].some((one) => one !== null)) this.#loses('tls', only);
      const names = transport.headers.map(({ name }) => name.toLowerCase());
      const twice = names.find((name, index) => names.indexOf(name) < index);
      if (twice !== undefined) this.#loses(twice, 'A file has each header only once.');
    } else if (transport.inherit === 'all') this.#loses('inherit', only);
    if (era !== 'auto' || revision !== null) this.#loses('revision', only);
    if (JSON.stringify(timeouts) !== JSON.stringify(defaultTimeouts)) this.#loses('timeouts', only);
    const usual = [defaultClientProfile, importedClientProfile].map((one) => JSON.stringify(one));
    if (!usual.includes(JSON.stringify(client))) this.#loses('client', only);
  }

  #loses(key: string, why: string): void {
    this.leftOut.push({ key, why });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
