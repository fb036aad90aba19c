/** Names of the error codes that JSON-RPC and the revisions of MCP define. */
const names: Readonly<Record<number, string>> = {
  [-32700]: 'Parse error',
  [-32600]: 'Invalid request',
  [-32601]: 'Method not found',
  [-32602]: 'Invalid params',
  [-32603]: 'Internal error',
  [-32002]: 'Resource not found',
  [-32042]: 'URL elicitation required',
  [-32020]: 'Header mismatch',
  [-32021]: 'Missing required client capability',
  [-32022]: 'Unsupported protocol version',
  [-1]: 'Rejected by the user',
};

export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  urlElicitationRequired: -32042,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

/**
 * What a code means, such as `Method not found`. Of the rest JSON-RPC leaves -32000 to -32099 to servers and keeps
 * -32768 to -32100 (JSON-RPC 2.0 section 5.1); any other is the application's own.
 */
export function errorCodeName(code: number): string {
  const name = names[code];
  if (name !== undefined) return name;
  if (code <= -32000 && code >= -32099) return 'Server error';
  return code < -32099 && code >= -32768 ? 'Reserved by JSON-RPC' : 'Defined by the application';
}
