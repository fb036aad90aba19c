import { type Document, isNode, LineCounter } from 'yaml';
import { z } from 'zod';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import { formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { NotJson, parseYaml, valueOfYaml } from '#replay/placed-yaml.ts';
import type { Recording } from '#replay/mock/recording.ts';

/** The version of the format; a file of another one is refused. */
const FORMAT_VERSION = 1;
/** Limit of characters of a file: a real one has some dozens of faults. */
const MAX_SIZE = 256 * 1024;

const duration = z
  .string()
  .regex(/^\d+(?:\.\d+)?(?:ms|s)$/, 'wants a time such as 200ms or 2s')
  .transform((text) => Number.parseFloat(text) * (text.endsWith('ms') ? 1 : 1000));

const row = z.number().int().positive();

/** The messages of the server that a fault is for: one by its number, or those of a method. */
const selectors = {
  /** The number of a message as the app shows it, from 1. */
  at: row.optional(),
  /** The file that `at` is in, if there are several. */
  file: z.string().min(1).optional(),
  /** A notification or request of the server of this method, or the response to a request of it. */
  method: z.string().min(1).optional(),
  /** The tool, prompt or URI of that request. */
  name: z.string().min(1).optional(),
  /** How likely each of these messages is chosen, from 0 to 1. */
  chance: z.number().min(0).max(1).optional(),
};

const injectedSchema = z
  .discriminatedUnion('do', [
    /** Not sent. */
    z.strictObject({ do: z.literal('drop'), ...selectors }),
    /** Sent later, and what follows for the same request after it. */
    z.strictObject({ do: z.literal('delay'), by: duration, ...selectors }),
    /** Put aside until the message of this number was sent. */
    z.strictObject({ do: z.literal('hold'), until: row, at: row, file: selectors.file }),
    z.strictObject({ do: z.literal('duplicate'), ...selectors }),
    /** One character is changed, so that it is no JSON. */
    z.strictObject({ do: z.literal('corrupt'), ...selectors }),
    /** The connection ends in its middle. */
    z.strictObject({ do: z.literal('cut'), ...selectors }),
    /** The HTTP response to its request is an error of the server. */
    z.strictObject({ do: z.literal('status'), status: z.number().int().min(500).max(599), ...selectors }),
    /** Responses to requests that are pending at the same time come in another order. */
    z.strictObject({ do: z.literal('reorder'), within: duration.default(50) }),
  ])
  .refine(
    (one) => one.do === 'reorder' || one.at !== undefined || ('method' in one && one.method !== undefined),
    'wants at, the number of a message, or method',
  );

const fileSchema = z.strictObject({
  version: z.literal(FORMAT_VERSION),
  faults: z.array(injectedSchema).min(1, 'wants at least one fault'),
});

/** A fault to inject, with its line in the file. */
export type InjectedFault = z.output<typeof injectedSchema> & { readonly line: number };

/** The messages that a fault may name. */
type RecordedMessages = Pick<Recording, 'name' | 'requests' | 'notifications' | 'opening'>;

/**
 * Reads a file of faults, YAML or JSON (docs/mocking.md). The messages that they name are checked by `requireRecorded`.
 *
 * @param path for errors
 * @throws FaultError that names the line
 */
export function readFaults(text: string, path: string): InjectedFault[] {
  const refuse = (line: number, what: string): FaultError => new FaultError(badFile(path, line, what));
  if (text.length > MAX_SIZE)
    throw refuse(1, `the file is longer than ${formatQuantity(MAX_SIZE, 'character')}`);
  const lines = new LineCounter();
  const document = parseYaml(text, { lineCounter: lines });
  const lineOf = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const [error] = document.errors;
  if (error !== undefined) {
    const message = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '';
    throw refuse(lineOf(error.pos[0]), message);
  }
  const lineAt = (keys: readonly PropertyKey[]): number => lineOf(startOf(document, keys));
  let value: unknown;
  try {
    value = valueOfYaml(document);
  } catch (reason) {
    if (reason instanceof NotJson) throw refuse(1, reason.message);
    throw reason;
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(lineAt(issue?.path ?? []), complaintOf(issue));
  }
  return parsed.data.faults.map((fault, place) => ({ ...fault, line: lineAt(['faults', place]) }));
}

/**
 * Requires that the recordings have the messages that the faults name.
 *
 * @param path of the file of the faults
 * @throws FaultError that names the line
 */
export function requireRecorded(
  faults: readonly InjectedFault[],
  path: string,
  recordings: readonly RecordedMessages[],
): void {
  const rowsOf = onceEach(serverRows);
  for (const fault of faults) {
    const complaint = unknownMessage(fault, recordings, rowsOf);
    if (complaint !== null) throw new FaultError(badFile(path, fault.line, complaint));
  }
}

function complaintOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'it is no file of faults';
  const member = issue.path.filter((key) => typeof key === 'string' && key !== 'faults').join('.');
  const message =
    issue.code === 'invalid_union'
      ? 'wants one of drop, delay, hold, duplicate, corrupt, cut, status, reorder'
      : issue.message;
  return member === '' ? message : `${member}: ${message}`;
}

/** Where in the text the value at a path starts, or the nearest value around it. */
function startOf(document: Document, keys: readonly PropertyKey[]): number {
  for (let depth = keys.length; depth >= 0; depth--) {
    const node: unknown = depth === 0 ? document.contents : document.getIn(keys.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function unknownMessage(
  fault: InjectedFault,
  recordings: readonly RecordedMessages[],
  rowsOf: (recording: RecordedMessages) => ReadonlySet<number>,
): string | null {
  if (fault.do === 'reorder' || fault.at === undefined) return null;
  const { file, at } = fault;
  if (file === undefined && recordings.length > 1) return 'file: wants the name of the file that "at" is in';
  const recording = recordings.find(({ name }) => file === undefined || name === file);
  if (recording === undefined) return `file: there is no ${file ?? 'file'}`;
  if (fault.do === 'hold' && fault.until <= at) return 'until: wants a message after the one that is held';
  const rows = rowsOf(recording);
  const wanted = fault.do === 'hold' ? [at, fault.until] : [at];
  const unknown = wanted.find((number) => !rows.has(number - 1));
  return unknown === undefined
    ? null
    : `${rowNumber(unknown - 1)} is not a message of the server in ${recording.name}`;
}

/** The rows of everything that the server of a recording sent. */
const serverRows = ({ requests, notifications, opening }: RecordedMessages): ReadonlySet<number> =>
  new Set(
    [...requests.flatMap(({ steps }) => steps), ...notifications.flatMap(({ steps }) => steps), ...opening]
      .filter(({ kind }) => kind !== 'await')
      .map((step) => step.row),
  );

/** A function of objects that is called once for each: a file may name the same recording in each of its faults. */
function onceEach<K extends object, V>(of: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const value = known.get(key) ?? of(key);
    known.set(key, value);
    return value;
  };
}

const badFile = (path: string, line: number, what: string): Fault => ({
  code: 'bad-fault-file',
  what: `Line ${line} of ${path}: ${what}.`,
  next: 'docs/mocking.md describes the format.',
});
