import { expect, test } from 'vitest';
import { errorCodeName, errorCodes } from './error-codes.ts';

test.each([
  [-32700, 'Parse error'],
  [-32600, 'Invalid request'],
  [-32601, 'Method not found'],
  [-32602, 'Invalid params'],
  [-32603, 'Internal error'],
  [-32002, 'Resource not found'],
  [-1, 'Rejected by the user'],
  [-32099, 'Server error'],
  [-32000, 'Server error'],
  [-32100, 'Reserved by JSON-RPC'],
  [-32768, 'Reserved by JSON-RPC'],
  [-32769, 'Defined by the application'],
  [-31999, 'Defined by the application'],
  [418, 'Defined by the application'],
])('%d is called %s', (code, name) => {
  expect(errorCodeName(code)).toBe(name);
});

test('every code that we send ourselves has a name of its own', () => {
  for (const code of Object.values(errorCodes)) {
    expect(errorCodeName(code)).not.toMatch(/^(Server error|Reserved|Defined)/);
  }
});
