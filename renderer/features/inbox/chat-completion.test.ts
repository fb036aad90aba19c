import { describe, expect, test } from 'vitest';
import { chatRequest, readCompletion, toolResultErrors } from './chat-completion.ts';
import { readQuestion, type Sampling } from './read-question.ts';

function samplingOf(params: object): Sampling {
  const question = readQuestion({ method: 'sampling/createMessage', params: JSON.stringify(params) });
  if (question.kind !== 'sampling') throw new Error('no sampling');
  return question.sampling;
}

const text = (said: string) => ({ type: 'text', text: said });
const use = { type: 'tool_use', id: 'u1', name: 'add', input: { a: 1 } };
const result = { type: 'tool_result', toolUseId: 'u1', content: [text('2')] };

test('a request has the prompt, its limits and its tools', () => {
  const sampling = samplingOf({
    systemPrompt: 'Be brief.',
    messages: [
      { role: 'user', content: text('Add.') },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [result] },
      {
        role: 'user',
        content: [
          text('And this?'),
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'audio', data: 'BBBB', mimeType: 'audio/x-wav' },
        ],
      },
    ],
    maxTokens: 50,
    temperature: 0.2,
    stopSequences: ['END'],
    tools: [{ name: 'add', description: 'Adds.', inputSchema: { type: 'object' } }],
    toolChoice: { mode: 'required' },
  });
  expect(chatRequest(sampling, 'm', 'Instructions: none.')).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.\n\nInstructions: none.' },
      { role: 'user', content: 'Add.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'u1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'u1', content: '2' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
        ],
      },
    ],
    max_tokens: 50,
    temperature: 0.2,
    stop: ['END'],
    tools: [
      { type: 'function', function: { name: 'add', description: 'Adds.', parameters: { type: 'object' } } },
    ],
    tool_choice: 'required',
  });
});

describe('a completion becomes an answer', () => {
  test('with its model, stop reason, tokens and cost', () => {
    const read = readCompletion(
      JSON.stringify({
        model: 'm-1',
        choices: [{ message: { content: 'Two.' }, finish_reason: 'length' }],
        usage: { prompt_tokens: 9, completion_tokens: 2, cost: 0.0003 },
      }),
      'm',
    );
    expect(read?.usage).toBe('9 tokens in, 2 out, $0.0003');
    expect(JSON.parse(read?.answer ?? '')).toEqual({
      role: 'assistant',
      content: text('Two.'),
      model: 'm-1',
      stopReason: 'maxTokens',
    });
  });

  test('with the tools it uses, digit by digit', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1.0}' } };
    const read = readCompletion(
      JSON.stringify({
        choices: [{ message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }],
      }),
      'm',
    );
    expect(read?.usage).toBeNull();
    expect(read?.answer).toContain('"a": 1.0');
    expect(JSON.parse(read?.answer ?? '')).toMatchObject({
      content: [{ type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 } }],
      model: 'm',
      stopReason: 'toolUse',
    });
  });

  test('unless it is none', () => {
    expect(readCompletion('{"choices":[]}', 'm')).toBeNull();
    expect(readCompletion('no', 'm')).toBeNull();
  });
});

describe('results of tools are checked before a model gets them', () => {
  const errorsOf = (...messages: { role: string; content: unknown }[]) =>
    toolResultErrors(samplingOf({ messages }).messages);

  test('each use is followed by its result', () => {
    expect(errorsOf({ role: 'assistant', content: [use] }, { role: 'user', content: [result] })).toEqual([]);
  });

  test.each<[string, { role: string; content: unknown }[]]>([
    ['belongs to no use of a tool', [{ role: 'user', content: [result] }]],
    [
      'has no result in message 2',
      [
        { role: 'assistant', content: use },
        { role: 'user', content: text('?') },
      ],
    ],
    [
      'has other content too',
      [
        { role: 'assistant', content: use },
        { role: 'user', content: [result, text('?')] },
      ],
    ],
    [
      'is not a list of content',
      [
        { role: 'assistant', content: use },
        { role: 'user', content: [{ ...result, content: '2' }] },
      ],
    ],
    [
      'not of the role user',
      [
        { role: 'assistant', content: use },
        { role: 'assistant', content: [result] },
      ],
    ],
  ])('%s', (words, messages) => {
    expect(errorsOf(...messages).join(' ')).toContain(words);
  });
});
