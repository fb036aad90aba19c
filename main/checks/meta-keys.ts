import { revisionAtLeast, type Revision } from '#shared/protocol/revisions.ts';

/** A key of `_meta` that a revision does not allow, or reserves. */
export interface MetaKeyFault {
  readonly rule: 'meta/invalid-key-prefix' | 'meta/invalid-key-name' | 'meta/reserved-prefix-used';
  readonly text: string;
}

/** Keys under a reserved prefix that the revisions themselves define for messages of a client. */
const defined: ReadonlySet<string> = new Set(
  ['protocolVersion', 'clientInfo', 'clientCapabilities', 'logLevel', 'related-task', 'subscriptionId'].map(
    (name) => `io.modelcontextprotocol/${name}`,
  ),
);

const label = /^[a-z](?:[a-z\d-]*[a-z\d])?$/i;
const nameOfKey = /^(?:[a-z\d](?:[\w.-]*[a-z\d])?)?$/i;
const reservedLabels: ReadonlySet<string> = new Set(['modelcontextprotocol', 'mcp']);

/**
 * What is wrong with a key of `_meta` (MCP 2025-06-18 basic, `_meta`: an optional prefix of labels and a slash, then a
 * name); null for nothing. Earlier revisions have no rules for keys.
 */
export function metaKeyFault(key: string, revision: Revision): MetaKeyFault | null {
  if (!revisionAtLeast(revision, '2025-06-18')) return null;
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const labels = slash === -1 ? [] : key.slice(0, slash).split('.');
  const shown = JSON.stringify(key);
  if (labels.some((one) => !label.test(one))) {
    const text = `The prefix of ${shown} is not made of labels that begin with a letter and end with a letter or digit`;
    return { rule: 'meta/invalid-key-prefix', text };
  }
  if (!nameOfKey.test(name)) {
    const text = `The name in ${shown} does not begin and end with a letter or digit`;
    return { rule: 'meta/invalid-key-name', text };
  }
  // Zero or more labels, then one of these, then any label: it may be any but the last.
  const isReserved = labels.slice(0, -1).some((one) => reservedLabels.has(one.toLowerCase()));
  // The modern era has the reserved label as the second one.
  const isReservedSecond = labels.length > 1 && reservedLabels.has((labels[1] ?? '').toLowerCase());
  if ((!isReserved && !isReservedSecond) || defined.has(key)) return null;
  return { rule: 'meta/reserved-prefix-used', text: `The prefix of ${shown} is reserved for MCP itself` };
}
