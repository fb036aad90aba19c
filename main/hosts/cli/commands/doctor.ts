import { z } from 'zod';
import { type Diagnosis, type DiagnosisStep, diagnosisLabels } from '#shared/contract/diagnosis.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import { type ExitCode, exitCodes } from '#hosts/cli/exit.ts';
import type { HeadlessSession } from '#hosts/cli/headless-session.ts';
import { faultText, print, printJson, visibleText } from '#hosts/cli/output.ts';
import { readTarget, targetNotes } from '#hosts/cli/target.ts';
import { sessionOptions, withSession } from '#hosts/cli/with-session.ts';

const optionsSchema = z.object({
  json: z.boolean().default(false),
  verbose: z.boolean().default(false),
});

/** Connects, and prints each step of the connection up to the one that fails, with its cause and what to try. */
export const doctorCommand: CliCommand = {
  usage: 'doctor',
  summary: 'find out why a server cannot be connected to',
  options: [
    [
      '--json',
      'print one JSON object: "ok", "steps", "fault", and the "trace" file; each step has a "name", a "state" (ok, ' +
        'failed, skipped, unknown), what was "measured", "facts", its "row", and its "fault" if it failed',
    ],
    ['--verbose', 'print the facts of each step, too'],
    ...sessionOptions.filter(([flags]) => !flags.startsWith('--log-level')),
  ],
  notes: `Connects as every other command does, and shows each step: the command, its permissions, its process and its first
output; or DNS, TCP, TLS, HTTP and authorization; then the handshake of MCP.
${targetNotes}

Examples: sightglass doctor -- npx -y @modelcontextprotocol/server-everything stdio
          sightglass doctor --url https://127.0.0.1:3000/mcp`,
  ends: { 0: 'every step is ok', 3: 'the connection fails' },
  async run(invocation) {
    const { json, verbose } = parseOptions(optionsSchema, invocation.options);
    return withSession({ target: readTarget(invocation), json }, async (session) => {
      await connected(session);
      const diagnosis = await session.request('sessions/diagnose', {});
      const view = await session.view();
      return json ? printAsJson(diagnosis, view) : printSteps(diagnosis, view, verbose);
    });
  },
};

/** Waits until the server can be used, or cannot. */
async function connected(session: HeadlessSession): Promise<void> {
  try {
    await session.ready();
  } catch (error) {
    if (error instanceof FaultError) return;
    throw error;
  }
  const { agreement } = await session.view();
  // Without a handshake, only the first request finds whether there is a server.
  if (agreement?.handshake === null) await session.tools();
}

const brokenStep = ({ steps }: Diagnosis): DiagnosisStep | null =>
  steps.find(({ state }) => state === 'failed') ?? null;

const exitCodeFor = (broken: DiagnosisStep | null): ExitCode =>
  broken === null ? exitCodes.fine : exitCodes.unavailable;

async function printAsJson(diagnosis: Diagnosis, { traceFile }: SessionView): Promise<ExitCode> {
  const broken = brokenStep(diagnosis);
  const { steps } = diagnosis;
  const fault = broken?.fault ?? null;
  await printJson(JSON.stringify({ ok: broken === null, steps, fault, trace: traceFile.path }, null, 2));
  return exitCodeFor(broken);
}

async function printSteps(
  diagnosis: Diagnosis,
  { traceFile }: SessionView,
  verbose: boolean,
): Promise<ExitCode> {
  const lines = diagnosis.steps.flatMap((step) => [stepLine(step), ...(verbose ? factLines(step) : [])]);
  await print(lines.join('\n'));
  const broken = brokenStep(diagnosis);
  if (broken?.fault) await print(`\n${faultText(broken.fault)}\n\nThe trace is ${traceFile.path}`);
  return exitCodeFor(broken);
}

/** `failed   TCP              connect ECONNREFUSED 127.0.0.1:3000` */
function stepLine({ name, state, measured }: DiagnosisStep): string {
  const line = `${state.padEnd(9)}${diagnosisLabels[name].padEnd(17)}${visibleText(measured ?? '')}`;
  return line.trimEnd();
}

const factLines = ({ facts }: DiagnosisStep): string[] =>
  facts.map(({ name, value }) => `             ${visibleText(`${name}: ${value}`)}`);
