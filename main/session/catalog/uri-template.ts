/** The parts of a template: expressions in braces, and the literals between them (RFC 6570 section 2). */
const pieces = /\{[^{}]*\}|[^{}]+|[{}]/g;

// RFC 6570 excludes the apostrophe from literals; its errata allow it.
const literal = /^(?:%[0-9A-Fa-f]{2}|[^\0-\x20"%<>\\^`|\x7f-\x9f])*$/;

const variableName = String.raw`(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*`;
const variable = new RegExp(String.raw`^${variableName}(?:\*|:[1-9][0-9]{0,3})?$`);
const operator = /^[+#./;?&]/;
/** Operators reserved for extensions. */
const reserved = /^[=,!@|]/;

/** Why a text is not a URI template (RFC 6570), as words after a colon; null if it is one. */
export function templateError(template: string): string | null {
  for (const piece of template.match(pieces) ?? []) {
    const error = piece.length > 1 && piece.startsWith('{') ? expressionError(piece) : literalError(piece);
    if (error !== null) return error;
  }
  return null;
}

function literalError(text: string): string | null {
  if (text === '{' || text === '}') return `a lone ${text}`;
  return literal.test(text) ? null : `${JSON.stringify(text)} holds a character that must be percent-encoded`;
}

function expressionError(expression: string): string | null {
  const inside = expression.slice(1, -1);
  if (inside === '') return 'an expression {} without a variable';
  if (reserved.test(inside)) return `${expression} begins with a reserved operator`;
  for (const one of inside.replace(operator, '').split(',')) {
    if (!variable.test(one)) return `${JSON.stringify(one)} in ${expression} is no variable`;
  }
  return null;
}
