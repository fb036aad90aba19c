import { MAX_SCHEMA_LENGTH, type SchemaFault, schemaFaults, tooLong } from '#shared/json-schema/faults.ts';
import { isObject, type Message } from '#shared/protocol/jsonrpc.ts';
import type { NewFinding } from '#trace/findings.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { newFinding, type Rule } from './rules.ts';

/** Tools of one result whose schemas are checked. */
const MAX_TOOLS = 1_000;
/** Findings of one result. */
const MAX_FINDINGS = 20;

const members = {
  inputSchema: 'tools/input-schema-invalid-json-schema',
  outputSchema: 'tools/output-schema-invalid-json-schema',
} as const satisfies Record<string, Rule>;

/** What is no mistake, but keeps Sightglass and other clients from validating. */
const beyondUs: ReadonlySet<SchemaFault['kind']> = new Set(['dialect', 'size', 'remote']);

/** Checks whether values can be validated against the schemas of listed tools (MCP 2025-11-25 basic, JSON Schema usage). */
export function checkToolSchemas(
  message: Message,
  recorded: Pick<RecordedMessage, 'row' | 'direction' | 'pair' | 'size'>,
  columns: RowColumns,
): readonly NewFinding[] {
  if (message.type !== 'result' || recorded.pair === null || recorded.direction !== 'in') return NOTHING;
  if (columns.method(recorded.pair) !== 'tools/list' || !isObject(message.result)) return NOTHING;
  const { tools } = message.result;
  if (!Array.isArray(tools)) return NOTHING;
  const found: NewFinding[] = [];
  for (const [index, tool] of tools.slice(0, MAX_TOOLS).entries()) {
    for (const [member, rule] of Object.entries(members)) {
      const schema: unknown = isObject(tool) ? tool[member] : undefined;
      // The schema of the message reports one that is no object.
      if (!isObject(schema)) continue;
      for (const fault of faultsOf(schema, recorded.size)) {
        const name =
          isObject(tool) && typeof tool.name === 'string' ? ` of ${JSON.stringify(tool.name)}` : '';
        const text = `Nothing can be validated against the ${member}${name}: ${fault.text}`;
        const pointer = `/result/tools/${index}/${member}${fault.pointer}`;
        const broken = beyondUs.has(fault.kind) ? 'tools/schema-not-validated' : rule;
        found.push(newFinding(broken, recorded, text, { pointer }));
        if (found.length >= MAX_FINDINGS) return found;
      }
    }
  }
  return found;
}

const NOTHING: readonly NewFinding[] = [];

/** @param size bytes of the whole message */
function faultsOf(schema: object, size: number): readonly SchemaFault[] {
  const length = size > MAX_SCHEMA_LENGTH ? JSON.stringify(schema).length : 0;
  return length > MAX_SCHEMA_LENGTH ? [tooLong(length)] : schemaFaults(schema);
}
