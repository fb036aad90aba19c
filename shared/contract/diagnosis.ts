import { z } from 'zod';
import { faultSchema } from './fault.ts';

/** The steps of a connection in their order: those of stdio, then those of HTTP; both end with the handshake. */
const stepNames = [
  'command',
  'executable',
  'spawn',
  'output',
  'lookup',
  'connect',
  'proxy',
  'tls',
  'http',
  'authorization',
  'handshake',
] as const;
export type DiagnosisStepName = (typeof stepNames)[number];

/** What each step is called, the same in the window and in the terminal. */
export const diagnosisLabels: Readonly<Record<DiagnosisStepName, string>> = {
  command: 'Command found',
  executable: 'Executable',
  spawn: 'Process started',
  output: 'First output',
  lookup: 'DNS',
  connect: 'TCP',
  proxy: 'Proxy',
  tls: 'TLS',
  http: 'HTTP',
  authorization: 'Authorization',
  handshake: 'MCP handshake',
};

export const diagnosisStepSchema = z.object({
  name: z.enum(stepNames),
  /** `skipped`: not reached, or not part of this connection. `unknown`: nothing recorded says how it went. */
  state: z.enum(['ok', 'failed', 'skipped', 'unknown']),
  /** What was measured, in one line: a path, an address, a status. May hold untrusted text; null if nothing was. */
  measured: z.string().nullable(),
  /** The evidence in detail. Values may hold untrusted text. */
  facts: z.array(z.object({ name: z.string(), value: z.string() })),
  /** The row of the trace that shows it. */
  row: z.number().int().nullable(),
  /** Why it failed: of the step where the connection broke. */
  fault: faultSchema.nullable(),
});
export type DiagnosisStep = z.infer<typeof diagnosisStepSchema>;

/** The steps of a connection, up to the one that failed, if one did. */
export const diagnosisSchema = z.object({ steps: z.array(diagnosisStepSchema) });
export type Diagnosis = z.infer<typeof diagnosisSchema>;
