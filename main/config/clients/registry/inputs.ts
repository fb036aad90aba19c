import type { LeftOut, Variable } from '#shared/contract/servers.ts';
import { isSecretVariable } from '#shared/secret-names.ts';
import type { JsonNode } from '#config/clients/jsonc.ts';
import { elementsOf, membersOf, textOf } from '#config/clients/json-source.ts';
import { isTrue, nodeOf, textIn } from './entry-members.ts';

/** Something of an entry that is read, but may mean something else than its author wanted. */
export interface EntryNote {
  readonly node: JsonNode;
  readonly what: string;
  readonly next: string;
}

/** How the values of an input are found. */
export interface InputContext {
  /** What it is called in messages, and to the user who is asked for it. */
  readonly name: string;
  /** Inputs besides its own `variables` that it may name, the nearest first. */
  readonly scopes?: readonly ReadonlyMap<string, JsonNode>[];
  /** Whether the default of an input that it names is written in its place, and not asked for. */
  readonly usesDefaults?: boolean;
  /** Whether the user is asked for a `{name}` that nothing describes. Otherwise it stays as it is written. */
  readonly asksForUnknown?: boolean;
  /** Whether a value must not be kept in the settings. */
  readonly isSecret?: boolean;
  /** Whether the input is left out if its value has an optional variable that nobody gave. */
  readonly isLeftOutWithoutValue?: boolean;
  /** Whether the server gets an optional input only if the user gives a value, so that it can be asked for. */
  readonly canBeOmitted?: boolean;
}

/** Limit of characters that the variables of one package or remote may add to its texts. */
const MAX_FILLED = 100_000;

/** Reads the inputs of one package or remote (schema 2025-12-11, `Input`), and collects what the user has to give. */
export class Inputs {
  readonly leftOut: LeftOut[] = [];
  readonly notes: EntryNote[] = [];
  readonly #variables = new Map<string, Variable>();
  /** The placeholder of each input that was asked for. */
  readonly #asked = new Map<JsonNode, string>();
  /** The placeholders by what their variables say. */
  readonly #defined = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  #filled = 0;

  get variables(): Variable[] {
    return [...this.#variables.values()];
  }

  /** The value of an input, with placeholders for what the user gives; null if it is optional and has none. */
  valueOf(node: JsonNode, context: InputContext): string | null {
    const own = membersOf(nodeOf(node, 'variables'));
    const scopes = [own, ...(context.scopes ?? [])];
    const written = textIn(node, 'value');
    // A value that only names an input which nothing describes means the input itself.
    const isItself = context.asksForUnknown !== true && isUndescribed(written, scopes);
    const value = isItself ? null : written;
    const isSecret = context.isSecret === true || isTrue(node, 'isSecret');
    const isOptional = !isTrue(node, 'isRequired');
    const canBeOmitted = context.canBeOmitted === true && isOptional;
    if (value !== null && isExample(value)) {
      return this.ask(node, { ...context, isSecret, canBeOmitted: false }, null);
    }
    if (value !== null) {
      if (
        context.isLeftOutWithoutValue === true &&
        isOptional &&
        !canBeOmitted &&
        hasOpenVariable(value, own)
      )
        return null;
      return this.fill(value, node, { ...context, isSecret, canBeOmitted, scopes });
    }
    const fallback = isSecret ? null : textIn(node, 'default');
    if (fallback !== null && textsIn(node, 'choices').length === 0) return fallback;
    if (fallback === null && !isTrue(node, 'isRequired') && !canBeOmitted) return null;
    return this.ask(node, { ...context, isSecret, canBeOmitted }, fallback);
  }

  /** Replaces each `{name}` of a text by its value or a placeholder. */
  fill(text: string, node: JsonNode, context: InputContext): string {
    // Authors also write `{{name}}` and `${name}`.
    return text.replaceAll(/\{\{([^{}]+)\}\}|\$?\{([^{}]+)\}/g, (written, twice?: string, once?: string) => {
      const inBraces = (twice ?? once ?? '').trim();
      const isOurs = written.startsWith('${input:');
      const name = isOurs ? inBraces.slice('input:'.length) : inBraces;
      const known = context.scopes?.map((scope) => scope.get(name)).find((one) => one !== undefined);
      if (known !== undefined) return this.#limited(this.#variableOf(known, name, context), written);
      // Braces of anything else, such as JSON, are text.
      if (!/^[A-Za-z_][\w.-]*$/.test(name)) return written;
      if (context.asksForUnknown === true || isOurs) return this.#askUnknown(name, context);
      this.notes.push({
        node,
        what: `${context.name} has ${written}, which the entry does not describe. The server gets it as it is written.`,
        next: 'Write the value in its place in the settings of the server.',
      });
      return written;
    });
  }

  /** A placeholder for a value that the user gives. */
  ask(node: JsonNode, { name, isSecret = false, canBeOmitted }: InputContext, value: string | null): string {
    const known = this.#asked.get(node);
    if (known !== undefined) return known;
    const choices = choicesOf(node);
    const written = textIn(node, 'value');
    const example = textIn(node, 'placeholder') ?? (written !== null && isExample(written) ? written : null);
    const placeholder = this.#add({
      name,
      value,
      secret: isSecret || isTrue(node, 'isSecret') || isSecretVariable(idOf(name)),
      description: descriptionOf(node),
      ...(choices.length > 0 && { choices }),
      ...(example !== null && { placeholder: example }),
      ...(canBeOmitted === true && value === null && { isOptional: true }),
    });
    this.#asked.set(node, placeholder);
    return placeholder;
  }

  /** A placeholder for a secret that the entry has in clear. */
  hide(name: string, value: string): string {
    return this.#add({ name, value, secret: true, description: null });
  }

  /** Names an optional argument without a value. */
  leaveOut(node: JsonNode, key: string): void {
    const choices = choicesOf(node);
    const why = [
      'It is optional. Add it to the arguments if the server should have it.',
      descriptionOf(node),
      choices.length > 0 ? `One of ${choices.join(', ')}.` : null,
    ];
    this.leftOut.push({ key, why: why.filter((one) => one !== null).join(' ') });
  }

  #variableOf(node: JsonNode, name: string, context: InputContext): string {
    const value = textIn(node, 'value');
    // Variables have no variables of their own.
    if (value !== null) return value;
    const isSecret = isTrue(node, 'isSecret') || (context.isSecret === true && !isPublic(node));
    const fallback = isSecret ? null : textIn(node, 'default');
    const { canBeOmitted = false, usesDefaults = false } = context;
    if (fallback !== null && usesDefaults && !this.#asked.has(node)) return fallback;
    return this.ask(
      node,
      { name, isSecret, canBeOmitted: canBeOmitted && !isTrue(node, 'isRequired') },
      fallback,
    );
  }

  #askUnknown(name: string, { isSecret = false, canBeOmitted }: InputContext): string {
    const same = this.#variables.get(`input:${idOf(name)}`);
    if (same !== undefined) return `\${${same.name}}`;
    return this.#add({
      name,
      value: null,
      secret: isSecret || isSecretVariable(name),
      description: null,
      ...(canBeOmitted === true && { isOptional: true }),
    });
  }

  /** Inputs that say the same share a variable. Others of the same name get a number. */
  #add(variable: Variable): string {
    const id = idOf(variable.name);
    const definition = JSON.stringify({ ...variable, name: id });
    const same = this.#defined.get(definition);
    if (same !== undefined) return same;
    let count = (this.#counts.get(id) ?? 0) + 1;
    const nameOf = () => `input:${id}${count === 1 ? '' : `-${count}`}`;
    while (this.#variables.has(nameOf())) count += 1;
    this.#counts.set(id, count);
    const name = nameOf();
    this.#variables.set(name, { ...variable, name });
    this.#defined.set(definition, `\${${name}}`);
    return `\${${name}}`;
  }

  #limited(value: string, written: string): string {
    if (this.#filled + value.length > MAX_FILLED) return written;
    this.#filled += value.length;
    return value;
  }
}

/** The id of an input in placeholders: flags lose their dashes. */
export const idOf = (name: string): string =>
  name
    .replaceAll(/[${}\s]/g, '')
    .replace(/^-+/, '')
    .replace(/=$/, '')
    .slice(0, 100) || 'value';

/** The values that an input may have; of a boolean, both of them. */
export function choicesOf(node: JsonNode): string[] {
  const choices = textsIn(node, 'choices');
  if (choices.length > 0) return choices;
  return textIn(node, 'format') === 'boolean' ? ['true', 'false'] : [];
}

const textsIn = (node: JsonNode, name: string): string[] =>
  elementsOf(nodeOf(node, name)).flatMap((one) => textOf(one) ?? []);

function descriptionOf(node: JsonNode): string | null {
  const description = textIn(node, 'description');
  if (!isTrue(node, 'isRepeated')) return description;
  return `${description ?? ''} It may be given several times.`.trim();
}

/** Whether a value only says what to write in its place: `<your-key>`, `YOUR_API_KEY`. */
const isExample = (value: string): boolean => /^(?:<[^<>{}]+>|\[?your[-_ ][^{}]*)$/i.test(value);

/** Whether a value is a single `{name}` that is in none of the scopes. */
function isUndescribed(value: string | null, scopes: readonly ReadonlyMap<string, JsonNode>[]): boolean {
  const [, name] = /^\$?\{{1,2}([A-Za-z_][\w.-]*)\}{1,2}$/.exec(value ?? '') ?? [];
  return name !== undefined && !scopes.some((scope) => scope.has(name));
}

/** Whether a text names a variable that is optional and has no value. */
const hasOpenVariable = (text: string, variables: ReadonlyMap<string, JsonNode>): boolean =>
  [...text.matchAll(/\{([^{}]+)\}/g)].some(([, name = '']) => {
    const node = variables.get(name.trim());
    return (
      node !== undefined &&
      !isTrue(node, 'isRequired') &&
      textIn(node, 'value') === null &&
      (isTrue(node, 'isSecret') || textIn(node, 'default') === null)
    );
  });

/** Whether an input says by itself that it is no secret. */
const isPublic = (node: JsonNode): boolean => textIn(node, 'default') !== null || choicesOf(node).length > 0;
