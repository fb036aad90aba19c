import { resourceOfUrl, withProviderSettings } from '#shared/authorization/providers/settings.ts';
import { knownProviders } from '#shared/authorization/providers/table.ts';
import { type ShownTrap, trapsIn } from '#shared/authorization/providers/traps.ts';
import {
  type AuthorizationFlow,
  type AuthorizationOverrides,
  defaultAuthorization,
  type KnownProviderId,
} from '#shared/contract/authorization.ts';
import { UsageError } from '#hosts/cli/exit.ts';

interface GivenOptions {
  readonly provider?: KnownProviderId | undefined;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: string | undefined;
}

/**
 * The settings that `--provider` stands for, beneath those of the other options. What is about a secret or a key needs one.
 *
 * @param given what the other options set
 * @param serverUrl null if only the saved server knows it
 * @throws UsageError
 */
export function withProvider(
  { provider, clientSecret, privateKey }: GivenOptions,
  given: AuthorizationOverrides,
  serverUrl: string | null,
): AuthorizationOverrides {
  if (provider === undefined) return given;
  const { settings } = knownProviders[provider];
  const { registration: _, authMethod, assertionAudience, ...others } = settings;
  const resource = serverUrl === null ? '' : resourceOfUrl(serverUrl);
  const filled = withProviderSettings(defaultAuthorization, others, resource);
  const named = new Set(given.extra?.map(({ name }) => name));
  const extra = filled.extra?.filter(({ name }) => !named.has(name));
  const empty = extra?.find(({ value }) => value === '');
  if (empty !== undefined)
    throw new UsageError(
      `--provider ${provider} sends ${empty.name} with the URL of the server, which only --url names; give --auth-param ${empty.name}=VALUE too`,
    );
  return {
    ...filled,
    ...(clientSecret !== undefined && authMethod !== undefined && { authMethod }),
    ...(privateKey !== undefined && assertionAudience !== undefined && { assertionAudience }),
    ...given,
    ...(extra !== undefined && { extra: [...extra, ...(given.extra ?? [])] }),
    ...(filled.dropped !== undefined && {
      dropped: [...new Set([...filled.dropped, ...(given.dropped ?? [])])],
    }),
    knownProvider: provider,
  };
}

/** The known traps that a flow shows, for programs. */
export const trapsOutcome = (flows: readonly AuthorizationFlow[]) =>
  flows.flatMap((flow) =>
    trapsIn(flow)
      .filter((shown) => isWorthSaying(flow, shown))
      .map(({ recognized, trap: { id, title, cause, wayOn, sources }, stepId }) => ({
        flow: flow.id,
        step: stepId,
        provider: recognized.provider.id,
        trap: id,
        title,
        cause,
        wayOn,
        sources,
      })),
  );

interface TrapLine {
  /** Unique in the flow. */
  readonly key: string;
  readonly text: string;
  /** The step that shows it. */
  readonly stepId: number;
}

/** A line for each known trap that a flow shows. */
export function trapLines(flow: AuthorizationFlow): readonly TrapLine[] {
  return trapsIn(flow)
    .filter((shown) => isWorthSaying(flow, shown))
    .map((shown) => ({
      key: `${shown.recognized.provider.id} ${shown.trap.id} ${shown.stepId}`,
      text: lineOf(shown),
      stepId: shown.stepId,
    }));
}

/** A page that may be on screen is listed only when there was one. */
const isWorthSaying = ({ fault }: AuthorizationFlow, { isCertain }: ShownTrap): boolean =>
  isCertain || fault !== null;

function lineOf({ recognized, trap, isCertain }: ShownTrap): string {
  const { id, label } = recognized.provider;
  const phrases = isCertain ? [] : trap.shownBy.flatMap(({ page = [] }) => page);
  const when = phrases.length === 0 ? '' : `If its page says ${phrases.join(' or ')}: `;
  const option =
    trap.remedy === null || recognized.by === 'chosen' ? '' : ` The option --provider ${id} sets that.`;
  const [source] = trap.sources;
  return `hint  ${label}: ${when}${trap.title}. ${trap.cause} ${trap.wayOn}${option} (${source?.title ?? ''})`;
}
