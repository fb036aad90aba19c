import type { TracedCall } from '#shared/contract/trace.ts';
import { memberText, memberTexts, withoutMember } from '#shared/json/members.ts';
import { isSameJson } from '#shared/json/same-json.ts';

/** A call whose last response requires input, with that response. */
interface Unfinished {
  readonly first: TracedCall;
  readonly last: TracedCall;
  readonly place: number;
}

/**
 * Joins the rounds of each call that required input into one call, with the params of the first round and the response of the
 * last (MCP 2026-07-28 multi-round-trip requests). Each question becomes a request of the server, as it is in the legacy
 * era, so that a recording of one era can be compared with one of the other.
 */
export function joinRounds(calls: readonly TracedCall[]): TracedCall[] {
  const joined: TracedCall[] = [];
  const open: Unfinished[] = [];
  for (const call of calls) {
    const before = open.findIndex((one) => continues(call, one));
    const [unfinished] = before === -1 ? [] : open.splice(before, 1);
    const first = unfinished?.first ?? call;
    const place = unfinished?.place ?? joined.length;
    if (unfinished === undefined) joined.push(call);
    else {
      joined.push(...questionsOf(unfinished.last, call));
      joined[place] = withLastRound(first, call);
    }
    if (wantsInput(call)) open.push({ first, last: call, place });
  }
  return joined;
}

const wantsInput = ({ direction, response }: TracedCall): boolean =>
  direction === 'out' &&
  response?.includes('"input_required"') === true &&
  memberText(response, ['resultType']) === '"input_required"';

function continues(call: TracedCall, { first, last }: Unfinished): boolean {
  if (call.direction !== 'out' || call.method !== first.method || call.target !== first.target) return false;
  const params = call.params ?? '{}';
  const members = memberTexts(params);
  if (!members.has('inputResponses') && !members.has('requestState')) return false;
  if (members.get('requestState') !== memberTexts(last.response ?? '{}').get('requestState')) return false;
  return isSameJson(withoutRound(params), withoutRound(first.params ?? '{}'));
}

const withoutRound = (params: string): string =>
  withoutMember(withoutMember(params, 'inputResponses'), 'requestState');

const withLastRound = (first: TracedCall, last: TracedCall): TracedCall => ({
  ...first,
  responseRow: last.responseRow,
  outcome: last.outcome,
  response: last.response,
  isTooLarge: last.isTooLarge,
  duration: last.duration === null ? null : last.at + last.duration - first.at,
});

/** What a response asked, with the answers of the next round; roots are answered by the settings, and left out in both eras. */
function questionsOf(asking: TracedCall, answering: TracedCall): TracedCall[] {
  const requests = memberText(asking.response ?? '{}', ['inputRequests']) ?? '{}';
  const responses = memberTexts(memberText(answering.params ?? '{}', ['inputResponses']) ?? '{}');
  const at = asking.at + (asking.duration ?? 0);
  return [...memberTexts(requests)].flatMap(([key, request]) => {
    const written = memberText(request, ['method']);
    const method: unknown = written === null ? null : JSON.parse(written);
    const response = responses.get(key) ?? null;
    if (typeof method !== 'string' || method === 'roots/list') return [];
    const params = memberText(request, ['params']);
    return [
      {
        row: asking.responseRow ?? asking.row,
        responseRow: response === null ? null : answering.row,
        method,
        direction: 'in',
        target: null,
        params: params === null ? null : withoutMember(params, '_meta'),
        outcome: response === null ? 'none' : 'ok',
        response,
        isTooLarge: false,
        at,
        ...(asking.startedAt !== undefined && {
          startedAt: asking.startedAt + (at - asking.at) / 1000,
        }),
        duration: response === null ? null : answering.at - at,
      } satisfies TracedCall,
    ];
  });
}
