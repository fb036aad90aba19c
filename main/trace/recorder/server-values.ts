import { isDistinct } from '#shared/secret-names.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import { isJson, JSON_START, JsonPlaces } from './json-places.ts';
import { headerRules } from './redact-http.ts';

/** Values of one session that are looked for in its messages; a server may set a new cookie with each answer. */
const MOST_VALUES = 32;

/**
 * The values that a server sends in headers where secrets belong. They are replaced there and nowhere else, so that
 * a server can hide nothing with them; one that seems to try is told by the names of these headers.
 */
export class ServerValues {
  /** What is looked for, with the header it stood in; the newest last. */
  readonly #headers = new Map<string, string>();
  /** By exchange, headers whose values stood in messages. */
  readonly #found = new Map<number, Set<string>>();

  /** Takes the header lines of a response; gives the names of those whose value is a torn piece of JSON. */
  see(lines: HeaderLines): string[] {
    const torn = new Set<string>();
    for (const [name, value] of lines) {
      for (const part of headerRules.get(name.toLowerCase())?.(value) ?? []) {
        if (typeof part === 'string') continue;
        for (const secret of new Set([part.value, ...part.learned])) {
          if (isTornJson(secret)) torn.add(name);
          this.#keep(secret, name);
        }
      }
    }
    return [...torn];
  }

  /** Takes a message of an exchange. */
  look(exchange: number, bytes: Buffer): void {
    for (const [value, name] of this.#headers) {
      if (!bytes.includes(value)) continue;
      const found = this.#found.get(exchange);
      if (found === undefined) this.#found.set(exchange, new Set([name]));
      else found.add(name);
    }
  }

  /** The exchange has ended; gives the headers whose values stood in its messages. */
  end(exchange: number): string[] {
    const found = this.#found.get(exchange);
    this.#found.delete(exchange);
    return [...(found ?? [])];
  }

  #keep(value: string, name: string): void {
    if (!isDistinct(value)) return;
    const written = JSON.stringify(value).slice(1, -1);
    this.#headers.delete(written);
    this.#headers.set(written, name);
    const [oldest] = this.#headers.keys();
    if (this.#headers.size > MOST_VALUES && oldest !== undefined) this.#headers.delete(oldest);
  }
}

/**
 * Whether it could stand across the punctuation of JSON, from within a string or from between values. Cookies of
 * settings do not: they are whole values, or begin with what no JSON has there, such as `j:{"theme":"dark"}`.
 */
const isTornJson = (value: string): boolean =>
  /"\s*[:,\]}]|[:,[{]\s*"/.test(value) &&
  !isJson(value) &&
  !isJson(`"${value}"`) &&
  [false, true].some((isInString) =>
    new JsonPlaces(value, { ...JSON_START, isInString }).isPlausible(0, value.length),
  );
