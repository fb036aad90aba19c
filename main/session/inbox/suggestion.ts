import type { ClientProfile } from '#shared/contract/servers.ts';
import type { InboxMethod } from '#shared/contract/inbox.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { memberText, memberTexts } from '#trace/units/raw-json.ts';

/**
 * The result that follows from a question by itself, as JSON text: the roots the user set, the defaults of a form,
 * consent to open a page. Null when nothing follows: what a model would say, or a form with a required field that
 * has no default.
 *
 * @param params JSON text of an object
 */
export function suggestedResult(
  method: InboxMethod,
  params: string,
  profile: Pick<ClientProfile, 'roots'>,
): string | null {
  switch (method) {
    case 'roots/list': {
      const roots = profile.roots.map(({ uri, name }) => ({ uri, ...(name !== null && { name }) }));
      return JSON.stringify({ roots });
    }
    case 'elicitation/create':
      return suggestedForm(params);
    case 'sampling/createMessage':
      return null;
  }
}

function suggestedForm(params: string): string | null {
  const question: unknown = JSON.parse(params);
  if (!isObject(question)) return null;
  if (question.mode === 'url') return '{"action":"accept"}';
  const { requestedSchema } = question;
  if (!isObject(requestedSchema) || !isObject(requestedSchema.properties)) return null;
  const required = new Set<unknown>(Array.isArray(requestedSchema.required) ? requestedSchema.required : []);
  const texts = memberTexts(memberText(params, ['requestedSchema', 'properties']) ?? '{}');
  const members: string[] = [];
  for (const [key, property] of Object.entries(requestedSchema.properties)) {
    const hasDefault = isObject(property) && Object.hasOwn(property, 'default');
    if (!hasDefault && required.has(key)) return null;
    // As written, so that a number does not change on its way.
    const value = hasDefault ? memberText(texts.get(key) ?? '{}', ['default']) : null;
    if (value !== null) members.push(`${JSON.stringify(key)}:${value}`);
  }
  return `{"action":"accept","content":{${members.join(',')}}}`;
}
