import { z } from 'zod';
import {
  type Define,
  type MethodShape,
  type RevisionSchema,
  result,
  discriminatedBy,
  type TypeOf,
} from '../definitions.ts';
import { anyObject, anything, byKey, chosenObject, list, text } from '../kit.ts';

const embedded = (method: string, params: z.ZodType): z.ZodObject =>
  z.looseObject({ method: z.literal(method), params });

/** What a request that is repeated with answers has besides its own. */
const retried = (type: TypeOf) => ({
  inputResponses: type('InputResponses').optional(),
  requestState: text.optional(),
});

/** The result that was asked for, or what `resultType` says it is instead. */
const answer =
  (alternatives: Readonly<Record<string, string>>): Define =>
  (type) => {
    const byResultType = new Map(Object.entries(alternatives).map(([kind, name]) => [kind, type(name)]));
    const complete = type(alternatives.complete ?? 'Result');
    return chosenObject([...byResultType.values()], ({ resultType }) => {
      // Absent it stands for "complete" (schema, Result); that it is absent is then the one fault.
      if (typeof resultType !== 'string') return complete;
      return byResultType.get(resultType) ?? { key: 'resultType', expected: [...byResultType.keys()] };
    });
  };

/** Answers that ask back, and the requests of the server that stand in them (MCP 2026-07-28 patterns/mrtr). */
export const inputRequired: RevisionSchema['types'] = {
  InputRequiredResult: (type) => {
    const resultType = z.literal('input_required');
    const requests = type('InputRequests');
    const asks = result(type, { resultType, inputRequests: requests, requestState: text.optional() });
    const waits = result(type, { resultType, requestState: text });
    return chosenObject([asks, waits], (answered) => {
      if (Object.hasOwn(answered, 'inputRequests')) return asks;
      return Object.hasOwn(answered, 'requestState')
        ? waits
        : { message: 'neither inputRequests nor requestState' };
    });
  },
  CallToolAnswer: answer({
    complete: 'CallToolResult',
    input_required: 'InputRequiredResult',
    task: 'CreateTaskResult',
  }),
  GetPromptAnswer: answer({ complete: 'GetPromptResult', input_required: 'InputRequiredResult' }),
  ReadResourceAnswer: answer({ complete: 'ReadResourceResult', input_required: 'InputRequiredResult' }),

  GetPromptRequestParams: (type, before) => before().extend(retried(type)),
  ReadResourceRequestParams: (type) => type.object('ResourceRequestParams').extend(retried(type)),
  CallToolRequestParams: (type, before) => before().omit({ task: true }).extend(retried(type)),

  InputRequest: (type) =>
    discriminatedBy('method', type, ['CreateMessageRequest', 'ListRootsRequest', 'ElicitRequest']),
  InputRequests: (type) => byKey(type('InputRequest')),
  InputResponse: (type) => {
    const elicited = type('ElicitResult');
    const roots = type('ListRootsResult');
    const sampled = type('CreateMessageResult');
    return chosenObject([elicited, roots, sampled], (response) => {
      if (Object.hasOwn(response, 'action')) return elicited;
      if (Object.hasOwn(response, 'roots')) return roots;
      if (Object.hasOwn(response, 'role') || Object.hasOwn(response, 'model')) return sampled;
      return { message: 'no answer to elicitation, sampling or roots' };
    });
  },
  InputResponses: (type) => byKey(type('InputResponse')),

  CreateMessageRequest: (type) => embedded('sampling/createMessage', type('CreateMessageRequestParams')),
  ListRootsRequest: () => embedded('roots/list', z.looseObject({ _meta: anyObject.optional() }).optional()),
  ElicitRequest: (type) => embedded('elicitation/create', type('ElicitRequestParams')),
  // Embedded requests are not messages: their params have no `_meta` of a request, their results no `resultType`.
  CreateMessageRequestParams: (_, before) =>
    before().omit({ task: true }).extend({ _meta: anyObject.optional() }),
  ElicitRequestFormParams: (_, before) =>
    before().omit({ task: true }).extend({ _meta: anyObject.optional() }),
  ElicitRequestURLParams: (_, before) =>
    before().omit({ task: true, elicitationId: true }).extend({ _meta: anyObject.optional() }),
  CreateMessageResult: (type) =>
    type.object('SamplingMessage').extend({ model: text, stopReason: text.optional() }),
  ListRootsResult: (type) => z.looseObject({ roots: list(type('Root')) }),
  ElicitResult: (_, before) => before().omit({ _meta: true, resultType: true }),
  ToolResultContent: (_, before) => before().extend({ structuredContent: anything.optional() }),
};

export const inputRequiredShapes: Readonly<Record<string, MethodShape>> = {
  'tools/call': { params: 'CallToolRequestParams', result: 'CallToolAnswer' },
  'prompts/get': { params: 'GetPromptRequestParams', result: 'GetPromptAnswer' },
  'resources/read': { params: 'ReadResourceRequestParams', result: 'ReadResourceAnswer' },
};
