import { describe, expect, test } from 'vitest';
import type { StepDraft, StepRequest } from '#shared/contract/authorization.ts';
import { editsIn, withEdits } from './step-edits.ts';
import { materialize, prepareRequest, type PreparedRequest } from './step-request.ts';

let count = 0;

/** A token request as it is planned: its random values are new each time. */
function planned(): PreparedRequest {
  count++;
  return prepareRequest({
    method: 'POST',
    url: 'https://as.example/token',
    headers: [{ name: 'DPoP', value: `proof-${count}`, isSecret: true }],
    bodyKind: 'form',
    body: [
      { name: 'code', value: `code-${count}`, isSecret: true },
      { name: 'resource', value: 'https://mcp.example', note: 'why' },
      { name: 'resource', value: 'https://other.example', isOn: false, note: 'off: x' },
      { name: 'client_assertion', value: `assertion-${count}`, isSecret: true },
    ],
  });
}

const added = (name: string, value: string) => ({
  name,
  value,
  fingerprint: null,
  isOn: true,
  note: '',
  row: null,
});

/** What is sent the second time, with a draft that was made of the first request. */
function secondTime(change: (request: StepRequest) => StepRequest, draft: Partial<StepDraft> = {}) {
  const first = planned();
  const edits = editsIn(first, first, { request: change(first.shown), wrongValue: null, ...draft });
  const second = planned();
  const made = edits === null ? second : withEdits(second, edits);
  const { method, url, headers, body } = materialize(made.shown, made.secrets);
  return { edits, made, second, sent: { method, url: url.href, headers, form: body?.toString() } };
}

const bodyWith = (place: number, change: Partial<StepRequest['body'][number]>) => (request: StepRequest) => ({
  ...request,
  body: request.body.map((one, at) => (at === place ? { ...one, ...change } : one)),
});

describe('what is changed again when a step comes again', () => {
  test('nothing, without a change', () => {
    const { edits, sent } = secondTime((request) => request);
    expect(edits).toBeNull();
    expect(sent.form).toContain(`code=code-${count}`);
  });

  test('method, URL, header, value and added parameters, while random values are new', () => {
    const { sent } = secondTime((request) => ({
      ...bodyWith(1, { value: 'https://edited.example' })(request),
      method: 'PUT',
      url: 'https://as.example/other',
      query: [added('a b', 'ü&=')],
      headers: [...request.headers, added('X-Test', 'yes')],
    }));
    expect(sent.method).toBe('PUT');
    expect(sent.url).toBe('https://as.example/other?a+b=%C3%BC%26%3D');
    expect(sent.headers).toEqual([
      ['DPoP', `proof-${count}`],
      ['X-Test', 'yes'],
    ]);
    expect(sent.form).toBe(
      `code=code-${count}&resource=https%3A%2F%2Fedited.example&client_assertion=assertion-${count}`,
    );
  });

  test('a random value that the user typed', () => {
    const { sent, made } = secondTime(bodyWith(0, { value: 'typed' }));
    expect(sent.form).toContain('code=typed&');
    // It is a secret of the step, not a text that the page gets.
    expect(JSON.stringify(made.shown)).not.toContain('typed');
  });

  test('a random value that the user emptied', () => {
    expect(secondTime(bodyWith(0, { value: '' })).sent.form).toContain('code=&');
  });

  test('what was switched off, and which of two with the same name was switched on', () => {
    expect(secondTime(bodyWith(1, { isOn: false })).sent.form).not.toContain('resource');
    const { sent, made } = secondTime(bodyWith(2, { isOn: true }));
    expect(sent.form).toContain('resource=https%3A%2F%2Fmcp.example&resource=https%3A%2F%2Fother.example');
    expect(made.shown.body[2]?.note).toBe('');
  });

  test('a parameter that is no longer in the list is not sent, and can be switched on again', () => {
    const { sent, made } = secondTime((request) => ({ ...request, body: request.body.slice(2) }));
    expect(sent.form).toBe(`client_assertion=assertion-${count}`);
    expect(made.shown.body.map(({ isOn }) => isOn)).toEqual([false, false, false, true]);
  });

  test('an added credential, which stays a secret', () => {
    const { sent, made } = secondTime((request) => ({
      ...request,
      body: [...request.body, added('api_key', 'a-key')],
    }));
    expect(sent.form).toContain('&api_key=a-key');
    expect(JSON.stringify(made.shown)).not.toContain('a-key');
  });

  test('a chosen assertion, which is signed again and no typed value', () => {
    const assertion = { audience: 'https://as.example/token', keyId: 'k' };
    const { edits } = secondTime((request) => request, { assertion });
    expect(edits).toMatchObject({ assertion, changed: [], added: [] });
  });

  test('a parameter that the step does not have this time is left alone', () => {
    const first = planned();
    const draft = {
      request: bodyWith(1, { value: 'https://edited.example' })(first.shown),
      wrongValue: null,
    };
    const edits = editsIn(first, first, draft);
    const second = prepareRequest({
      method: 'POST',
      url: 'https://as.example/token',
      bodyKind: 'form',
      body: [{ name: 'code', value: 'c', isSecret: true }],
    });
    expect(edits && withEdits(second, edits).shown.body.map(({ name }) => name)).toEqual(['code']);
  });
});

test('a typed secret is kept by the next draft, and restored by its planned fingerprint', () => {
  const first = planned();
  const typed = editsIn(first, first, {
    request: bodyWith(0, { value: 'typed' })(first.shown),
    wrongValue: null,
  });
  if (typed === null) throw new Error('it was changed');
  const current = withEdits(first, typed);
  const kept = editsIn(first, current, { request: current.shown, wrongValue: null });
  expect(kept?.changed).toMatchObject([{ name: 'code', value: 'typed' }]);
  const restored = bodyWith(0, { fingerprint: first.shown.body[0]?.fingerprint ?? null })(current.shown);
  expect(editsIn(first, current, { request: restored, wrongValue: null })).toBeNull();
});
