import { z } from 'zod';
import { type CorsResult, corsResults, DEFAULT_ORIGIN } from '#shared/authorization/cors.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { CliOption } from './command.ts';
import type { HeadlessSession } from './headless-session.ts';
import { faultText, say, visibleText } from './output.ts';

/** The option by which `auth` asks whether pages of browsers could use the endpoints. */
export const corsOption: CliOption = [
  '--check-cors [origin]',
  `ask each endpoint, without credentials, whether pages of this origin could use it; ${DEFAULT_ORIGIN} by default`,
];

export const corsOptionSchema = z.object({ checkCors: z.union([z.literal(true), z.string()]).optional() });

/** Checks the endpoints that the first flow of a session knows. Null if it is not asked for, or there is no flow. */
export async function checkCors(
  session: HeadlessSession,
  { checkCors: asked }: z.infer<typeof corsOptionSchema>,
): Promise<readonly CorsResult[] | null> {
  if (asked === undefined || session.interruption.aborted) return null;
  const [flow] = await session.request('authorization/flows', {});
  if (flow === undefined) {
    say('CORS is not checked: the server demanded no authorization, so no endpoint is known');
    return null;
  }
  try {
    const origin = asked === true ? DEFAULT_ORIGIN : asked;
    await session.request('authorization/check-cors', { flowId: flow.id, origin });
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    say(faultText(error.fault));
    return null;
  }
  const flows = await session.request('authorization/flows', {});
  return corsResults(flows.find(({ id }) => id === flow.id) ?? flow);
}

/** `blocked  Token endpoint  https://…`, with what is missing below. */
export const corsLines = (results: readonly CorsResult[]): string =>
  [
    `\nPages of ${visibleText(results[0]?.origin ?? '')}:`,
    ...results.flatMap(({ endpoint, url, state, missing }) => [
      `${state.padEnd(8)} ${endpoint.padEnd(21)}  ${visibleText(url)}`,
      ...missing.map(({ text, source }) => `${' '.repeat(9)}${visibleText(text)} (${source})`),
    ]),
  ].join('\n');
