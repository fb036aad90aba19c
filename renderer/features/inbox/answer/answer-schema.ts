import type { Schema } from '#ui/schema-form/schema.ts';
import type { Question } from '../question/read-question.ts';

const text = { type: 'string' };

/**
 * The results that answer a question, as JSON Schema: what the editor suggests from, and what is said of an answer
 * before it is sent (MCP 2025-11-25 schema: CreateMessageResult, ElicitResult, ListRootsResult).
 */
export function answerSchema(question: Question): Schema {
  switch (question.kind) {
    case 'sampling':
      return {
        type: 'object',
        properties: {
          role: { enum: ['assistant', 'user'] },
          content: { type: ['object', 'array'] },
          model: text,
          stopReason: { anyOf: [{ enum: ['endTurn', 'stopSequence', 'maxTokens', 'toolUse'] }, text] },
        },
        required: ['role', 'content', 'model'],
      };
    case 'form': {
      const { schema } = question;
      return {
        // Its `$schema` says how all of it is to be read; its own parts have no other place to be named from.
        ...(typeof schema?.$schema === 'string' && { $schema: schema.$schema }),
        type: 'object',
        properties: {
          action: { enum: ['accept', 'decline', 'cancel'] },
          content: schema === null ? { type: 'object' } : { type: 'object', ...schema },
        },
        required: ['action'],
      };
    }
    case 'url':
      return {
        type: 'object',
        properties: { action: { enum: ['accept', 'decline', 'cancel'] } },
        required: ['action'],
      };
    case 'roots':
      return {
        type: 'object',
        properties: {
          roots: {
            type: 'array',
            items: {
              type: 'object',
              properties: { uri: { type: 'string', pattern: '^file://' }, name: text },
              required: ['uri'],
            },
          },
        },
        required: ['roots'],
      };
  }
}
