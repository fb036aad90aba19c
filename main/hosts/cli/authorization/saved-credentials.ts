import { createEngine } from '#main/engine.ts';
import type { NamedServer } from '#main/platform.ts';
import type { StoredCredentials } from '#shared/contract/authorization.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import { cliPlatform, credentialsFile } from '#hosts/cli/cli-platform.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { request } from '#hosts/cli/headless-session.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { print, printJson, visibleText } from '#hosts/cli/output.ts';

/** Runs the work with an engine that has no session. */
async function withEngine<T>(
  work: (engine: Awaited<ReturnType<typeof createEngine>>) => Promise<T>,
): Promise<T> {
  const engine = await createEngine(cliPlatform());
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

const all = { serverId: null };

/** What is saved for a server: the credentials with the newest tokens, which every command uses; null without any. */
export const savedFor = (target: NamedServer): Promise<StoredCredentials | null> =>
  withEngine(async (engine) => {
    const serverId =
      target.kind === 'saved'
        ? (await request(engine, 'servers/list', {})).find(({ name }) => name === target.name)?.id
        : target.kind === 'http'
          ? target.url
          : undefined;
    if (serverId === undefined) return null;
    const saved = await request(engine, 'authorization/credentials', { serverId });
    return saved.findLast(({ generations }) => isUsable(generations.at(-1))) ?? null;
  });

const isUsable = (token: StoredCredentials['generations'][number] | undefined): boolean =>
  token !== undefined && token.state !== 'revoked';

/** Prints all saved credentials. */
export async function listCredentials(json: boolean): Promise<ExitCode> {
  const credentials = await withEngine((engine) => request(engine, 'authorization/credentials', all));
  if (json) await printJson(JSON.stringify(credentials.map(withoutSecrets), null, 2));
  else if (credentials.length === 0) await print('No credentials are saved.');
  else await print(credentials.map(credentialsLines).join('\n'));
  return exitCodes.fine;
}

/** Removes saved credentials. @throws UsageError */
export async function forgetCredentials(id: string): Promise<ExitCode> {
  await withEngine(async (engine) => {
    const known = await request(engine, 'authorization/credentials', all);
    if (!known.some((one) => one.id === id)) throw new UsageError(`no credentials have the id ${quoted(id)}`);
    await request(engine, 'authorization/forget', { credentialsId: id });
  });
  await print(`Forgotten. The file is ${credentialsFile()}`);
  return exitCodes.fine;
}

/** The server of saved credentials: one that is saved too, or was named by its URL. @throws UsageError */
export const serverOfCredentials = (credentialsId: string): Promise<NamedServer> =>
  withEngine(async (engine) => {
    const known = await request(engine, 'authorization/credentials', all);
    const found = known.find((one) => one.id === credentialsId);
    if (found === undefined) throw new UsageError(`no credentials have the id ${quoted(credentialsId)}`);
    const servers = await request(engine, 'servers/list', {});
    const name = servers.find((one) => one.id === found.serverId)?.name;
    if (name !== undefined) return { kind: 'saved', name, onlyAuthorizes: true };
    if (URL.canParse(found.serverId)) return { kind: 'http', url: found.serverId, onlyAuthorizes: true };
    throw new UsageError('the server of these credentials is no longer saved; "auth forget" removes them');
  });

/** Credentials whose server is named by its URL, without the secrets of that. */
export const withoutSecrets = ({ serverId, ...others }: StoredCredentials): StoredCredentials => ({
  ...others,
  serverId: withoutUrlSecrets(serverId),
});

function credentialsLines({
  id,
  serverId,
  issuer,
  clientId,
  registration,
  generations,
}: StoredCredentials): string {
  const last = generations.at(-1);
  const scopes = last?.scope == null ? [] : [`scopes  ${last.scope}`];
  const token =
    last === undefined
      ? 'no token'
      : `${last.tokenType} ${last.accessFingerprint}, ${last.state}${last.expiresAt === null ? '' : `, until ${new Date(last.expiresAt).toISOString()}`}`;
  return [
    visibleText(id),
    ...[
      `server  ${withoutUrlSecrets(serverId)}`,
      `issuer  ${issuer}`,
      `client  ${clientId} (${registration})`,
      `token   ${token}`,
      ...scopes,
    ].map((line) => `  ${visibleText(line)}`),
  ].join('\n');
}
