import type { AuthorizationStep, StepRequest } from '../contract/authorization.ts';

/** The page of the official Inspector, which is a usual browser client. */
export const DEFAULT_ORIGIN = 'http://localhost:6274';

/** What a page needs of an endpoint, and its response does not allow. */
export interface MissingCors {
  /** One sentence. */
  readonly text: string;
  /** The section of the Fetch standard, or of MCP. */
  readonly source: string;
}

/** Whether pages of an origin can use one endpoint. */
export interface CorsResult {
  /** Such as `Token endpoint`. */
  readonly endpoint: string;
  /** Without the query. */
  readonly url: string;
  readonly origin: string;
  /** `unknown`: there was no response. */
  readonly state: 'usable' | 'blocked' | 'unknown';
  readonly missing: readonly MissingCors[];
  /** The steps that show it. */
  readonly steps: readonly number[];
}

type Step = Pick<AuthorizationStep, 'id' | 'name' | 'label' | 'request' | 'response'>;

/** What divides the endpoint from the kind of request in the label of a step. */
const SEPARATOR = ': ';

export const corsLabel = (endpoint: string, kind: 'preflight' | 'request'): string =>
  `${endpoint}${SEPARATOR}${kind}`;

/**
 * Which endpoints pages of an origin could use, from the steps of the last checks; one result for each endpoint and origin, in the
 * order of the first step. Recorded steps are read in the same way.
 */
export function corsResults({ steps }: { readonly steps: readonly Step[] }): CorsResult[] {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    if (step.name !== 'check-cors' || step.request === null) continue;
    const [endpoint = ''] = step.label.split(SEPARATOR);
    const key = `${originOf(step.request)} ${endpoint}`;
    // A later check replaces the earlier one.
    const earlier = (groups.get(key) ?? []).filter((one) => one.label !== step.label);
    groups.set(key, [...earlier, step]);
  }
  return [...groups.values()].map(resultOf);
}

function resultOf(group: readonly Step[]): CorsResult {
  const [first] = group;
  const missing = group.flatMap((step) => missingOf(step));
  const isUnknown = group.some(({ response }) => response === null);
  const [endpoint = ''] = (first?.label ?? '').split(SEPARATOR);
  return {
    endpoint,
    url: first?.request?.url ?? '',
    origin: first?.request ? originOf(first.request) : '',
    state: missing.length > 0 ? 'blocked' : isUnknown ? 'unknown' : 'usable',
    missing: missing.filter(({ text }, at) => missing.findIndex((one) => one.text === text) === at),
    steps: group.map(({ id }) => id),
  };
}

const headerOf = ({ headers }: StepRequest, name: string): string | null =>
  headers.find((one) => one.name.toLowerCase() === name)?.value ?? null;

const originOf = (request: StepRequest): string => headerOf(request, 'origin') ?? '';

const PREFLIGHT = 'Fetch, CORS-preflight fetch';
const CHECK = 'Fetch, CORS check';
const EXPOSED = 'Fetch, CORS-exposed header names';

/** The methods that need no permission (Fetch, CORS-safelisted method). */
const safelisted: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

/** What the response to a request of a check lacks; empty for one without a response. */
export function missingOf({ label, request, response }: Omit<Step, 'id' | 'name'>): MissingCors[] {
  if (request === null || response === null) return [];
  const { status } = response;
  const texts = (name: string) =>
    response.headers.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value.trim());
  const list = (name: string): ReadonlySet<string> =>
    new Set(
      texts(name)
        .join(',')
        .split(',')
        .map((one) => one.trim().toLowerCase())
        .filter((one) => one !== ''),
    );
  const missing: MissingCors[] = [];
  const origin = originOf(request);
  const allowed = texts('access-control-allow-origin').join(', ');
  if (allowed !== '*' && allowed !== origin) {
    const got = allowed === '' ? 'is missing' : `is ${allowed}`;
    const expected = `Access-Control-Allow-Origin ${got}, not ${origin} or *.`;
    missing.push({ text: expected, source: CHECK });
  }
  const method = headerOf(request, 'access-control-request-method');
  if (method === null) {
    const exposed = list('access-control-expose-headers');
    for (const name of neededHeaders(label, status))
      if (!exposed.has('*') && !exposed.has(name.toLowerCase()))
        missing.push({
          text: `Access-Control-Expose-Headers lacks ${name}, which the page then cannot read.`,
          source: EXPOSED,
        });
    return missing;
  }
  if (status < 200 || status > 299)
    missing.push({ text: `The preflight has HTTP status ${status}, not 200 to 299.`, source: PREFLIGHT });
  const methods = list('access-control-allow-methods');
  if (!safelisted.has(method) && !methods.has('*') && !methods.has(method.toLowerCase()))
    missing.push({ text: `Access-Control-Allow-Methods lacks ${method}.`, source: PREFLIGHT });
  const headers = list('access-control-allow-headers');
  const wanted = (headerOf(request, 'access-control-request-headers') ?? '').split(',').filter(Boolean);
  for (const name of wanted) {
    // `*` does not include Authorization.
    const isAllowed = headers.has(name) || (headers.has('*') && name !== 'authorization');
    if (!isAllowed) missing.push({ text: `Access-Control-Allow-Headers lacks ${name}.`, source: PREFLIGHT });
  }
  return missing;
}

/** The endpoints by their names in labels. */
export const corsEndpoints = {
  mcp: 'MCP endpoint',
  resourceMetadata: 'Resource metadata',
  serverMetadata: 'Server metadata',
  registration: 'Registration endpoint',
  token: 'Token endpoint',
} as const;

/** Response headers that a page has to read: the challenge, and the session that a server of the legacy era names. */
const neededHeaders = (label: string, status: number): readonly string[] => {
  if (!label.startsWith(corsEndpoints.mcp)) return [];
  return status === 401 ? ['WWW-Authenticate', 'Mcp-Session-Id'] : ['Mcp-Session-Id'];
};
