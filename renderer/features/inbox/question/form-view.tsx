import type { Schema } from '#ui/schema-form/schema.ts';
import { isSchema, typesOf } from '#ui/schema-form/schema.ts';
import { PlainText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';
import { Part } from '../pane-layout.tsx';
import { Warning } from './warning.tsx';

/** The fields that the server wants filled in. */
export function FormView({
  schema,
  secrets,
}: {
  readonly schema: Schema | null;
  /** What of it looks like a secret. */
  readonly secrets: readonly string[];
}) {
  if (schema === null)
    return <Warning tone="warn">The request has no requestedSchema, though it is required.</Warning>;
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return (
    <Part name="Fields" note={properties.length === 0 ? 'none' : undefined}>
      <ul className="overflow-hidden rounded-ui border border-line">
        {properties.map(([name, field]) => (
          <li key={name} className="border-b border-line px-2.5 py-1 last:border-b-0">
            <div className="flex items-baseline gap-2">
              <span className="mono min-w-0 font-medium [overflow-wrap:anywhere]">
                {visibleLine(name)}
                {required.includes(name) && (
                  <span className="text-err">
                    <span aria-hidden> *</span>
                    <span className="sr-only"> required</span>
                  </span>
                )}
              </span>
              {secrets.includes(name) && (
                <span className="shrink-0 text-xs font-medium text-err">looks like a secret</span>
              )}
              <span className="ml-auto max-w-[60%] text-right text-xs [overflow-wrap:anywhere] text-faint">
                {isSchema(field) ? visibleLine(kindOf(field)) : 'not a schema'}
              </span>
            </div>
            {isSchema(field) && <Said field={field} />}
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** What the server says of a field. */
function Said({ field: { title, description } }: { readonly field: Schema }) {
  const words = [title, description].filter((one): one is string => typeof one === 'string' && one !== '');
  return words.length === 0 ? null : <PlainText text={words.join(' · ')} className="text-sm text-mute" />;
}

/** `integer · 10 to 2000`, `string · email`, `one of water, oil` */
function kindOf(field: Schema): string {
  const { format, minimum, maximum, minLength, maxLength } = field;
  const choices = choicesOf(field) ?? (isSchema(field.items) ? choicesOf(field.items) : null);
  const parts = [
    choices === null ? typesOf(field).join(' or ') : `${many(field)} of ${choices.join(', ')}`,
    typeof format === 'string' ? format : '',
    span(minimum, maximum, ''),
    span(minLength, maxLength, ' characters'),
  ];
  return parts.filter((part) => part !== '').join(' · ') || 'anything';
}

const many = (field: Schema): string => (typesOf(field).includes('array') ? 'any' : 'one');

/** The values of an enum, plain or with titles (MCP 2025-11-25 elicitation). */
function choicesOf(field: Schema): string[] | null {
  if (Array.isArray(field.enum)) return field.enum.map(String);
  const titled = Array.isArray(field.oneOf) ? field.oneOf : field.anyOf;
  if (!Array.isArray(titled)) return null;
  return titled.flatMap((one: unknown) => (isSchema(one) && 'const' in one ? [String(one.const)] : []));
}

function span(from: unknown, to: unknown, unit: string): string {
  const [least, most] = [from, to].map((limit) => (typeof limit === 'number' ? String(limit) : null));
  if (least != null && most != null) return `${least} to ${most}${unit}`;
  if (least != null) return `at least ${least}${unit}`;
  return most != null ? `at most ${most}${unit}` : '';
}
