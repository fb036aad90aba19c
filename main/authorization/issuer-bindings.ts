import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type OwnCredentialKind, ownCredentialKinds } from '#shared/authorization/own-credentials.ts';
import { fingerprintOf } from './tokens.ts';

/** Something that the user entered, and its value. */
export interface OwnCredential {
  readonly kind: OwnCredentialKind;
  readonly value: string;
}

/** The file of bindings. It has no secret: servers are named by a hash, values by their fingerprint. */
export const issuerBindingsSchema = z.object({
  version: z.literal(1),
  bindings: z.array(
    z.object({
      server: z.string(),
      kind: z.enum(ownCredentialKinds),
      fingerprint: z.string(),
      issuer: z.string(),
    }),
  ),
});
type File = z.infer<typeof issuerBindingsSchema>;

export const noBindings: File = { version: 1, bindings: [] };

/** Reads and replaces the file. */
export interface BindingsFile {
  read(): Promise<File>;
  update(change: (before: File) => File): Promise<unknown>;
}

/**
 * Which authorization servers got what the user entered for an MCP server. Credentials belong to the issuer that they were made for,
 * compared as it is written (MCP 2026-07-28 authorization).
 */
export class IssuerBindings {
  readonly #file: BindingsFile;

  constructor(file: BindingsFile) {
    this.#file = file;
  }

  /** The issuers that got this credential; those that got others of the server are `ofServer`. */
  async issuersOf(
    serverId: string,
    credential: OwnCredential,
  ): Promise<{ readonly own: readonly string[]; readonly ofServer: readonly string[] }> {
    const server = keyOf(serverId);
    const fingerprint = markOf(serverId, credential);
    const bindings = (await this.#file.read()).bindings.filter((one) => one.server === server);
    const own = bindings.filter((one) => one.kind === credential.kind && one.fingerprint === fingerprint);
    return { own: issuersIn(own), ofServer: issuersIn(bindings) };
  }

  /** Notes that an issuer gets these credentials. Idempotent. */
  async bind(serverId: string, credentials: readonly OwnCredential[], issuer: string): Promise<void> {
    if (credentials.length === 0) return;
    const server = keyOf(serverId);
    const added = credentials.map((one) => ({
      server,
      kind: one.kind,
      fingerprint: markOf(serverId, one),
      issuer,
    }));
    const known = new Set((await this.#file.read()).bindings.map((one) => JSON.stringify(one)));
    if (added.every((one) => known.has(JSON.stringify(one)))) return;
    await this.#file.update((before) => {
      const others = before.bindings.filter((one) => !added.some((own) => isSame(own, one)));
      return { ...before, bindings: [...others, ...added] };
    });
  }

  /** Forgets a removed server. Idempotent. */
  async forgetServer(serverId: string): Promise<void> {
    const server = keyOf(serverId);
    const isOther = (one: Binding) => one.server !== server;
    if ((await this.#file.read()).bindings.every(isOther)) return;
    await this.#file.update((before) => ({ ...before, bindings: before.bindings.filter(isOther) }));
  }
}

type Binding = File['bindings'][number];

const isSame = (one: Binding, other: Binding): boolean => JSON.stringify(one) === JSON.stringify(other);

const issuersIn = (bindings: readonly Binding[]): string[] => [
  ...new Set(bindings.map(({ issuer }) => issuer)),
];

/** The ID of a server of the command line is its URL, which may have a secret. */
const keyOf = (serverId: string): string => createHash('sha256').update(serverId).digest('hex').slice(0, 16);

/** Not that of the value alone: two servers with one secret have different marks. */
const markOf = (serverId: string, { kind, value }: OwnCredential): string =>
  fingerprintOf(JSON.stringify([serverId, kind, value]));
