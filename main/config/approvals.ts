import { createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type Approval,
  isLaunchApproval,
  isVariablesApproval,
  launchApprovalSchema,
  variablesApprovalSchema,
} from '#shared/contract/approvals.ts';
import type { Launch, SentVariables } from '#shared/contract/sessions.ts';
import type { Secrets } from './secrets.ts';
import { JsonFile } from './json-file.ts';

const fileSchema = z.object({
  version: z.literal(1),
  /** Fingerprints of earlier versions without the values of variables. They approve nothing any more. */
  approved: z.array(z.string()).default([]),
  approvals: z.array(launchApprovalSchema).default([]),
  variables: z.array(variablesApprovalSchema).default([]),
});

/** What is about to run, for one server. */
export interface LaunchRequest {
  readonly serverId: string;
  /** The launch as shown to the user, without secret values. */
  readonly launch: Launch;
  /** The variables the user set, with all their values. */
  readonly environment: Readonly<Record<string, string>>;
  /** The secret values in the command line, by their placeholders, such as `input:token`. */
  readonly hidden: Readonly<Record<string, string>>;
}

/** What is about to be sent to one server. */
export interface SendingRequest {
  readonly serverId: string;
  readonly sent: SentVariables;
}

export type ApprovalRequest = LaunchRequest | SendingRequest;

/** The name of the key for fingerprints of secret values. */
const KEY = 'approvals/key';

/**
 * What the user has approved: command lines, and variables for hosts. A command runs with the user's own rights, so a new or
 * changed one runs only after the user has approved it (MCP security best practices, local server compromise). The same holds for
 * the values of variables, which an imported configuration may have sent to anybody.
 */
export class Approvals {
  readonly #file: JsonFile<typeof fileSchema>;
  readonly #secrets: Secrets;
  readonly #onChange: (approvals: Approval[]) => void;
  /** Pending approvals; each is valid once, for what it was asked for. */
  readonly #pending = new Map<string, string>();
  #key: Promise<string> | undefined;

  constructor(folder: string, secrets: Secrets, onChange: (approvals: Approval[]) => void = () => {}) {
    const empty = { version: 1 as const, approved: [], approvals: [], variables: [] };
    this.#file = new JsonFile(join(folder, 'approvals.json'), fileSchema, empty);
    this.#secrets = secrets;
    this.#onChange = onChange;
  }

  async list(): Promise<Approval[]> {
    return allOf(await this.#file.read());
  }

  /** Whether this is approved. Servers with the same launch share the approval. */
  async has(request: ApprovalRequest): Promise<boolean> {
    const id = await this.#fingerprint(request);
    const approval = (await this.list()).find((one) => one.id === id);
    if (approval === undefined) return false;
    if (!approval.serverIds.includes(request.serverId)) await this.add(request);
    return true;
  }

  async add(request: ApprovalRequest): Promise<void> {
    const id = await this.#fingerprint(request);
    const { serverId } = request;
    const what = 'launch' in request ? { launch: request.launch } : { sent: request.sent };
    await this.#update((approvals) => {
      const before = approvals.find((one) => one.id === id);
      if (before === undefined) return [...approvals, { id, serverIds: [serverId], at: Date.now(), ...what }];
      const serverIds = [...new Set([...before.serverIds, serverId])];
      return approvals.map((one) => (one === before ? { ...one, serverIds } : one));
    });
  }

  /** Creates a one-time approval for the user to confirm. */
  async request(request: ApprovalRequest): Promise<string> {
    const approval = randomBytes(16).toString('hex');
    this.#pending.set(approval, await this.#fingerprint(request));
    return approval;
  }

  /** Whether the approval is valid for this; uses it up. */
  async redeem(approval: string, request: ApprovalRequest): Promise<boolean> {
    const pending = this.#pending.get(approval);
    this.#pending.delete(approval);
    if (pending !== (await this.#fingerprint(request))) return false;
    await this.add(request);
    return true;
  }

  /** Grants what was revoked again, to those servers besides that have it by now. */
  async restore(revoked: readonly Approval[]): Promise<void> {
    await this.#update((approvals) => {
      const others = approvals.filter(({ id }) => !revoked.some((one) => one.id === id));
      const again = revoked.map((one) => {
        const now = approvals.find(({ id }) => id === one.id);
        return { ...one, serverIds: [...new Set([...one.serverIds, ...(now?.serverIds ?? [])])] };
      });
      return [...others, ...again];
    });
  }

  /** Revokes an approval: the user is asked again before the next run or connection. */
  async revoke(id: string): Promise<void> {
    await this.#update((approvals) => approvals.filter((one) => one.id !== id));
  }

  /** Revokes the approvals of a removed server, unless another server has the same launch. */
  async forgetServer(serverId: string): Promise<void> {
    await this.#update((approvals) =>
      approvals.flatMap((one) => {
        if (!one.serverIds.includes(serverId)) return [one];
        const serverIds = one.serverIds.filter((id) => id !== serverId);
        return serverIds.length === 0 ? [] : [{ ...one, serverIds }];
      }),
    );
  }

  async #update(change: (approvals: Approval[]) => Approval[]): Promise<void> {
    const file = await this.#file.update((before) => {
      const approvals = change(allOf(before));
      return {
        ...before,
        approved: [],
        approvals: approvals.filter(isLaunchApproval),
        variables: approvals.filter(isVariablesApproval),
      };
    });
    this.#onChange(allOf(file));
  }

  async #fingerprint(request: ApprovalRequest): Promise<string> {
    return 'launch' in request ? this.#launchFingerprint(request) : sendingFingerprint(request);
  }

  /**
   * A hash of everything that decides what runs. Secret values are hashed with a key that is kept with the secrets, so
   * that the file does not allow guesses to be checked.
   */
  async #launchFingerprint({ launch, environment, hidden }: LaunchRequest): Promise<string> {
    const { command, args, cwd, inherit, resolved } = launch;
    const secretNames = new Set(launch.env.flatMap(({ name, value }) => (value === null ? [name] : [])));
    const needsKey = secretNames.size > 0 || Object.keys(hidden).length > 0;
    const key = needsKey ? await this.#cachedKey() : '';
    const keyed = (name: string, value: string) => [
      name,
      'keyed',
      keyedHash(key, JSON.stringify([name, value])),
    ];
    const variables = sorted(environment).map(([name, value]) =>
      secretNames.has(name) ? keyed(name, value) : [name, 'plain', value],
    );
    const inCommand = sorted(hidden).map(([name, value]) => keyed(name, value));
    // Command lines without secrets have the fingerprints that earlier versions gave them.
    const parts = [
      command,
      args,
      cwd,
      inherit,
      resolved,
      variables,
      ...(inCommand.length > 0 ? [inCommand] : []),
    ];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  /** Read once; after a failure it is read again, because the user may unlock the key store. */
  #cachedKey(): Promise<string> {
    const key = (this.#key ??= this.#readKey());
    key.catch(() => {
      if (this.#key === key) this.#key = undefined;
    });
    return key;
  }

  async #readKey(): Promise<string> {
    const kept = await this.#secrets.get(KEY);
    if (kept !== null) return kept;
    const key = randomBytes(32).toString('hex');
    await this.#secrets.set(KEY, key);
    return key;
  }
}

const allOf = ({ approvals, variables }: z.infer<typeof fileSchema>): Approval[] => [
  ...approvals,
  ...variables,
];

/** A hash of which variables a server gets at which origin. Their values may change: tokens are renewed. */
const sendingFingerprint = ({ serverId, sent: { origin, variables } }: SendingRequest): string =>
  createHash('sha256')
    .update(JSON.stringify(['variables', serverId, origin, variables.map(({ variable }) => variable)]))
    .digest('hex');

const keyedHash = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex');

const sorted = (values: Readonly<Record<string, string>>): [name: string, value: string][] =>
  Object.entries(values).toSorted(([one], [other]) => (one < other ? -1 : 1));
