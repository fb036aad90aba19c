import { parseTemplate } from 'url-template';

/** A variable of a URI template (RFC 6570). */
export interface TemplateVariable {
  readonly name: string;
  /** Whether the variable takes a list, whose values are separated by commas (the modifier `*`). */
  readonly isList: boolean;
}

/** The parts of a template: expressions in braces, and the literals between them. */
const parts = /\{[^{}]*\}|[^{}]+|[{}]/g;

/** The variables of a template in their order, each once. */
export function templateVariables(template: string): TemplateVariable[] {
  const variables = new Map<string, TemplateVariable>();
  for (const [expression] of template.matchAll(/\{[^{}]+\}/g)) {
    for (const one of expression
      .slice(1, -1)
      .replace(/^[+#./;?&]/, '')
      .split(',')) {
      const name = one.replace(/(?:\*|:\d+)$/, '');
      if (!variables.has(name)) variables.set(name, { name, isList: one.endsWith('*') });
    }
  }
  return [...variables.values()];
}

/** A part of an expanded template. */
export interface ExpandedPart {
  readonly text: string;
  /** Whether this part comes from an expression, not from literal text. */
  readonly isExpression: boolean;
}

/**
 * Expands a template part by part (RFC 6570 section 3). A variable without a value is left out, and an expression
 * without any value stays as it is written if `keepsEmpty`.
 */
export function expandTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  keepsEmpty: boolean,
): ExpandedPart[] {
  const lists = new Set(templateVariables(template).flatMap(({ name, isList }) => (isList ? [name] : [])));
  const given = Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [name, lists.has(name) ? value.split(',').map((one) => one.trim()) : value]),
  );
  return (template.match(parts) ?? []).map((part) => {
    const isExpression = part.length > 1 && part.startsWith('{');
    const expanded = parseTemplate(part).expand(given);
    return { text: isExpression && expanded === '' && keepsEmpty ? part : expanded, isExpression };
  });
}

/** The URI of a template with these values. */
export const expandedUri = (template: string, values: Readonly<Record<string, string>>): string =>
  expandTemplate(template, values, false)
    .map(({ text }) => text)
    .join('');
