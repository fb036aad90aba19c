import { findWrongValue } from '#shared/authorization/wrong-values.ts';
import type {
  AuthorizationFinding,
  AuthorizationFlow,
  AuthorizationParameter,
  AuthorizationStep,
  StepRequest,
} from '#shared/contract/authorization.ts';
import { formatDuration } from '#shared/format.ts';
import { statusName } from '#shared/protocol/http-status.ts';
import type { TraceHeader } from '#shared/trace/record.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { inline, section } from '#trace/export/markdown.ts';
import { memberLines } from './report-members.ts';

/** Characters of a value, such as a URL or a JWT of a client. */
const MAX_VALUE = 2000;

const value = (text: string): string => inline(text, MAX_VALUE);

/**
 * A flow as a report in Markdown: what was used, each step in its order with its request, response and verdict, and
 * everything that was found. Members of steps that it does not know are listed as they are.
 *
 * @param flow without secrets; texts of servers in it are untrusted
 */
export function flowReport(flow: AuthorizationFlow, header: TraceHeader): string {
  const { server, app } = header;
  const url = server.transport === 'http' ? [`- Server: ${value(server.url)}`] : [];
  const facts = [
    ...url,
    `- Revision: ${inline(flow.revision)}${flow.isRevisionKnown ? '' : ', assumed: that of the server was not known'}`,
    `- Grant: ${inline(flow.grant)}, registration: ${inline(flow.registration)}, mode: ${inline(flow.mode)}`,
    `- Result: ${inline(flow.state)}`,
    ...faultLines(flow.fault),
    ...(flow.testProvider === null ? [] : [`- Test identity provider: ${value(flow.testProvider)}`]),
    ...otherMembers(flow, knownOfFlow),
    `- App: ${inline(`${app.name} ${app.version}`)}`,
  ];
  const settings = (flow.changedSettings ?? []).map((one) => `- ${inline(one.name)}: ${value(one.value)}`);
  const found = flow.steps.flatMap((step) => step.findings.map((finding) => ({ step, finding })));
  return [
    `# Authorization flow ${flow.number} of ${inline(server.name)}, ${header.createdAt}\n`,
    section('Summary', [...facts, `- Findings: ${found.length}`]),
    section('Settings that differ from the default', settings),
    section('Steps', flow.steps.length === 0 ? [] : ['In the order in which they came up.']),
    ...flow.steps.map((step) => `\n${stepLines(step, flow).join('\n')}\n`),
    section(
      'All findings',
      found.map(
        ({ step, finding }) =>
          `- Step ${step.id}, ${inline(step.name)}: ${inline(finding.severity)} ${inline(finding.rule)}, ${inline(finding.text)}`,
      ),
    ),
  ].join('');
}

function faultLines(fault: AuthorizationFlow['fault']): string[] {
  if (fault === null) return [];
  const { what, why, next, quote } = fault;
  return [
    `- What failed: ${inline(what)}`,
    ...(quote === undefined ? [] : [`- The words of the server: ${inline(quote)}`]),
    ...(why === undefined ? [] : [`- Likely cause: ${inline(why)}`]),
    ...(next === undefined ? [] : [`- What to do: ${inline(next)}`]),
  ];
}

function stepLines(step: AuthorizationStep, flow: AuthorizationFlow): string[] {
  const { id, name, label, state, parties, duration, row, outcome } = step;
  const took = duration === null ? '' : `, ${formatDuration(duration)}`;
  const title = `### ${id}. ${inline(name)}${label === '' ? '' : `, ${inline(label)}`}`;
  const place = placeOf(step, flow);
  return [
    title,
    '',
    `- State: ${inline(state)}${took}${row === null ? '' : `, row ${rowNumber(row)}`}`,
    ...(place === '' ? [] : [`- Place: ${place}`]),
    `- Between: ${parties.map((party) => inline(party)).join(', ')}`,
    ...(step.request === null ? [] : requestLines(step.request)),
    ...plannedLines(step),
    ...(step.response === null ? [] : responseLines(step.response)),
    ...(outcome === '' ? [] : [`- Outcome: ${inline(outcome, MAX_VALUE)}`]),
    ...ruleLines(step),
    ...wrongValueLines(step),
    ...(step.isOverridden ? ['- The flow stopped here, and the user continued anyway.'] : []),
    ...otherMembers(step, knownOfStep),
    ...(step.moreCallbacks === 0 ? [] : [`- Further callbacks, not kept: ${step.moreCallbacks}`]),
    ...(step.findings.length === 0 ? [] : ['- Findings:', ...step.findings.flatMap(findingLines)]),
  ];
}

/** The branch of a step, and which attempt it is of those at the same place. */
function placeOf(
  { id, after, branch, name, label }: AuthorizationStep,
  { steps }: AuthorizationFlow,
): string {
  const attempts = steps.filter((one) => one.after === after && one.name === name && one.label === label);
  const attempt = attempts.findIndex((one) => one.id === id) + 1;
  return [
    ...(branch === 0 ? [] : [`branch ${branch}`]),
    ...(after === null || after === id - 1 ? [] : [`after step ${after}`]),
    ...(attempts.length > 1 ? [`attempt ${attempt} of ${attempts.length}`] : []),
  ].join(', ');
}

function requestLines({ method, url, sentBy, query, headers, bodyKind, body }: StepRequest): string[] {
  const by = sentBy === 'browser' ? ', opened in the browser' : '';
  return [
    `- Request: ${value(`${method} ${url}`)}${by}`,
    ...listed('Query', query),
    ...listed('Header lines', headers),
    ...listed(bodyKind === 'json' ? 'Members of the JSON body' : 'Form', body),
  ];
}

/** The request as it was planned, if the user changed it. */
const plannedLines = ({ original }: AuthorizationStep): string[] =>
  original?.request == null
    ? []
    : ['- The user changed the request. Planned was:', ...requestLines(original.request).map(indented)];

const indented = (line: string): string => `  ${line}`;

const listed = (title: string, parameters: readonly AuthorizationParameter[]): string[] =>
  parameters.length === 0 ? [] : [`  - ${title}:`, ...parameters.map((one) => `    - ${parameterLine(one)}`)];

function parameterLine(parameter: AuthorizationParameter): string {
  const { name, fingerprint, isOn, note } = parameter;
  const shown =
    parameter.value === null
      ? `secret${fingerprint === null ? '' : `, fingerprint ${inline(fingerprint)}`}`
      : value(parameter.value);
  return [
    `${inline(name)} = ${shown}`,
    ...(isOn ? [] : ['not sent']),
    ...(note === '' ? [] : [inline(note)]),
  ].join(', ');
}

function responseLines({ status, headers, body }: NonNullable<AuthorizationStep['response']>): string[] {
  const challenges = headers.filter(([name]) => name.toLowerCase() === 'www-authenticate');
  const isError = status >= 400;
  return [
    `- Status: ${inline(`${status} ${statusName(status)}`.trim())}`,
    ...challenges.map(([name, text]) => `  - ${inline(name)}: ${value(text)}`),
    ...(isError && body !== null && body !== '' ? [`  - Body: ${inline(body)}`] : []),
  ];
}

function ruleLines({ decidedBy, alternatives }: AuthorizationStep): string[] {
  return [
    ...(decidedBy === null ? [] : [`- Decided by: ${inline(decidedBy.text)}${sourceOf(decidedBy)}`]),
    ...(alternatives.length === 0
      ? []
      : ['- Not done:', ...alternatives.map(({ label, why }) => `  - ${inline(label)}: ${inline(why)}`)]),
  ];
}

const sourceOf = ({ source }: { readonly source: string }): string =>
  source === '' ? '' : ` (${inline(source)})`;

function wrongValueLines({ wrongValue, isWrongAccepted }: AuthorizationStep): string[] {
  if (wrongValue === null) return [];
  const known = findWrongValue(wrongValue);
  const what = known === null ? '' : `, ${inline(known.detail)}`;
  const right = known === null ? '' : ` (${inline(known.expected)}, ${inline(known.source)})`;
  const assessed =
    isWrongAccepted === null ? 'not assessed' : isWrongAccepted ? 'accepted, which is wrong' : 'rejected';
  return [`- Wrong value: ${inline(wrongValue)}${what}: ${assessed}${right}`];
}

function findingLines(finding: AuthorizationFinding): string[] {
  const { rule, severity, text, expected, received, row, library } = finding;
  const details = [
    ...(expected === null ? [] : [`Expected: ${value(expected)}`]),
    ...(received === null ? [] : [`Received: ${value(received)}`]),
    ...(library === null ? [] : [`oauth4webapi: ${inline(library)}`]),
  ];
  const at = row === null ? '' : `, row ${rowNumber(row)}`;
  return [
    `  - ${inline(severity)} ${inline(rule)}: ${inline(text)}${sourceOf(finding)}${at}`,
    ...details.map((line) => `    - ${line}`),
  ];
}

/** What a version of the app adds to steps and flows later. */
const otherMembers = (of: object, known: ReadonlySet<string>): string[] =>
  Object.entries(of).flatMap(([name, member]) => (known.has(name) ? [] : memberLines(name, member)));

const knownOfFlow: ReadonlySet<string> = new Set<keyof AuthorizationFlow>([
  'id',
  'sessionId',
  'serverId',
  'number',
  'mode',
  'grant',
  'registration',
  'revision',
  'isRevisionKnown',
  'changedSettings',
  'state',
  'currentStep',
  'steps',
  'issuers',
  'question',
  'browserUrl',
  'testProvider',
  'fault',
  'canOverride',
  'entry',
]);

const knownOfStep: ReadonlySet<string> = new Set<keyof AuthorizationStep>([
  'id',
  'after',
  'branch',
  'name',
  'label',
  'state',
  'parties',
  'request',
  'original',
  'response',
  'row',
  'startedAt',
  'duration',
  'outcome',
  'decidedBy',
  'alternatives',
  'findings',
  'wrongValue',
  'isWrongAccepted',
  'isOverridden',
  'moreCallbacks',
  'lateUntil',
]);
