import type { Channel } from '#shared/trace/record.ts';
import type { NoiseReason } from '#shared/trace/row.ts';
import type { Found, RecordedNoise } from '#trace/inspector.ts';
import { noise as noiseOf, problemOf } from '#trace/units/read-unit.ts';
import { broken, type Rule } from './rules.ts';

const onAnyChannel = {
  'not-utf8': 'transport/invalid-utf8',
  'too-large': 'transport/message-too-large',
} as const;

const onLines: Readonly<Record<NoiseReason, Rule>> = {
  ...onAnyChannel,
  'not-json': 'stdio/non-mcp-stdout',
  'half-json': 'stdio/embedded-newline',
  'several-values': 'stdio/several-on-a-line',
  blank: 'stdio/blank-line',
};

const everyReason = (rule: Rule): Readonly<Record<NoiseReason, Rule>> => ({
  'not-json': rule,
  'half-json': rule,
  'several-values': rule,
  blank: rule,
  ...onAnyChannel,
});

/** Which rule noise from the server breaks, by what carried it. */
const rulesOf: Readonly<Record<Channel, Readonly<Record<NoiseReason, Rule>>>> = {
  stdin: onLines,
  stdout: onLines,
  http: everyReason('http/json-reply-not-object'),
  sse: everyReason('sse/data-not-json'),
};

/** What noise on a message channel breaks (MCP 2025-06-18 transports). */
export function checkNoise(noise: RecordedNoise): Found {
  const { channel, reason, isCut, direction } = noise;
  const isLine = channel === 'stdout' || channel === 'stdin';
  if (isCut && reason !== 'not-utf8' && reason !== 'too-large') {
    const rule = isLine ? 'stdio/unterminated-last-line' : 'transport/cut';
    const what = isLine ? 'its last line' : 'this message';
    return broken(rule, noise, `The output ended inside ${what}`);
  }
  // The words of the trace are sentences of their own.
  const text = problemOf(noiseOf(reason), 0, channel)?.replace(/\.$/, '') ?? reason;
  return broken(direction === 'out' ? 'jsonrpc/invalid-envelope' : rulesOf[channel][reason], noise, text);
}
