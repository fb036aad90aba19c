import { type Document, isMap, isNode, isScalar, isSeq, LineCounter } from 'yaml';
import type { Converted } from '#shared/contract/convert.ts';
import {
  anyResult,
  type Expectations,
  type FileError,
  patternSchema,
  plainCall,
  type SavedCall,
  type ValueCheck,
} from '#shared/contract/saved-calls.ts';
import { type PathStep, pathText } from '#shared/json/path-pattern.ts';
import { mapLeaves } from '#shared/json/inner-json.ts';
import { withoutVariables } from '#shared/json/variables.ts';
import type { PlacedJson } from '#replay/placed-json.ts';
import { withCall } from '#testing/saved-calls/edit-test-file.ts';
import { jsonOfNode, memberNode, NotJson, parseYaml, valueOfYaml } from '#testing/saved-calls/exact-yaml.ts';
import { converted, type Expect, fileShape, type Suite, textPaths } from './mcp-assert-shape.ts';

/** Converts a file of mcp-assert, which holds one assertion, to a test file. @param name of the file */
export function convertAssertion(name: string, text: string): PlacedJson<Converted> {
  const lines = new LineCounter();
  const document = parseYaml(text, { lineCounter: lines });
  const placeOf = (node: unknown): Omit<FileError, 'message'> => {
    const { line, col } = lines.linePos(isNode(node) && node.range ? node.range[0] : 0);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0]);
    return {
      ok: false,
      errors: [{ line: Math.max(1, line), column: Math.max(1, col), message: firstLine(broken.message) }],
    };
  }
  try {
    const parsed = fileShape.safeParse(valueOfYaml(document));
    if (!parsed.success) {
      const errors = parsed.error.issues.map(({ path, message }) => ({
        ...placeOf(nearest(document, path)),
        message: path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
      }));
      return { ok: false, errors };
    }
    const conversion = new Conversion(document, parsed.data, placeOf, parsed.data.name ?? name);
    return { ok: true, value: conversion.run() };
  } catch (error) {
    if (error instanceof NotJson)
      return { ok: false, errors: [{ ...placeOf(error.node), message: error.message }] };
    throw error;
  }
}

const firstLine = (message: string): string =>
  (message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '');

/** The node at a path, or the nearest one around it. */
function nearest(document: Document, path: readonly PropertyKey[]): unknown {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (node !== undefined) return node;
  }
  return document.contents;
}

/** A part of a file that is converted to calls of its own. */
type Part = Extract<keyof typeof converted, `assert${string}`>;
type Of<P extends Part> = NonNullable<Suite[P]>;

class Conversion {
  readonly #document: Document;
  readonly #suite: Suite;
  readonly #placeOf: (node: unknown) => Omit<FileError, 'message'>;
  readonly #unsupported: FileError[] = [];
  /** Names that stand for a value behind {{ }}. */
  readonly #variables = new Set(['fixture']);
  readonly #calls: SavedCall[] = [];
  readonly #name: string;
  /** Milliseconds that each call but those of the setup may take; null if the file does not tell. */
  readonly #longest: number | null;

  /** @param name of the calls that are asserted */
  constructor(
    document: Document,
    suite: Suite,
    placeOf: (node: unknown) => Omit<FileError, 'message'>,
    name: string,
  ) {
    this.#document = document;
    this.#suite = suite;
    this.#placeOf = placeOf;
    this.#name = name;
    this.#longest = this.#duration(suite.timeout ?? null);
  }

  run(): Converted {
    this.#others([], converted.file);
    this.#setup();
    this.#convert('assert', (part) => this.#tool(part));
    this.#convert('assert_resources', (part) => this.#resources(part));
    this.#convert('assert_prompts', (part) => this.#prompts(part));
    this.#convert('assert_sampling', (part) => this.#sampling(part));
    this.#convert('assert_notifications', (part) => this.#notifications(part));
    this.#convert('assert_logging', (part) => this.#logging(part));
    const target = this.#target();
    const file = this.#calls.reduce<string | null>((text, call) => withCall(text, call, null), null);
    return {
      format: 'mcp-assert',
      lacks: [],
      ending: '.mcptest.yaml',
      text: (file ?? 'version: 1\nsteps: []\n').replace(/^version: 1\n/m, () => `version: 1\n${target}`),
      entries: this.#calls.length,
      unsupported: this.#unsupported.toSorted((a, b) => a.line - b.line || a.column - b.column),
    };
  }

  #setup(): void {
    for (const [index, { tool, capture }] of (this.#suite.setup ?? []).entries()) {
      const at = ['setup', index];
      this.#others(at, converted.setup);
      this.#calls.push({
        ...plainCall,
        name: `setup ${index + 1}: ${tool}`,
        method: 'tools/call',
        tool,
        arguments: this.#json([...at, 'args']),
        expect: anyResult,
        capture: this.#captures([...at, 'capture'], capture ?? {}),
      });
    }
  }

  /** Converts a part of the file if it has that part. */
  #convert<P extends Part>(part: P, convert: (value: Of<P>) => void): void {
    const value = this.#suite[part];
    if (value == null) return;
    this.#others([part], converted[part]);
    convert(value);
  }

  #tool({ tool }: Of<'assert'>): void {
    this.#add({ method: 'tools/call', tool, arguments: this.#json(['assert', 'args']) }, 'assert', 'tool');
  }

  #resources({ read, list, expect }: Of<'assert_resources'>): void {
    const at = 'assert_resources';
    if (read != null) {
      if (list != null) this.#note([at, 'list'], 'list beside read is not converted');
      const params = JSON.stringify({ uri: this.#withVariables(read) });
      this.#add({ method: 'resources/read', tool: null, arguments: params }, at, 'resource');
    } else if (list != null) {
      this.#add({ method: 'resources/list', tool: null, arguments: this.#json([at, 'list']) }, at, 'list');
    } else if (expect != null) this.#note([at, 'expect'], 'expect needs read or list');
  }

  #prompts({ get, list, expect }: Of<'assert_prompts'>): void {
    const at = 'assert_prompts';
    if (get != null) {
      if (list != null) this.#note([at, 'list'], 'list beside get is not converted');
      this.#others([at, 'get'], ['name', 'arguments']);
      const args = this.#json([at, 'get', 'arguments']);
      const params = `{"name":${JSON.stringify(this.#withVariables(get.name))},"arguments":${args}}`;
      this.#add({ method: 'prompts/get', tool: null, arguments: params }, at, 'prompt');
    } else if (list != null) {
      this.#add({ method: 'prompts/list', tool: null, arguments: this.#json([at, 'list']) }, at, 'list');
    } else if (expect != null) this.#note([at, 'expect'], 'expect needs get or list');
  }

  #sampling({ tool, mock_text: text, mock_model: model }: Of<'assert_sampling'>): void {
    const result = { role: 'assistant', content: { type: 'text', text }, model: model ?? 'mock' };
    const answer = { kind: 'result' as const, json: JSON.stringify(result) };
    const answers = [{ method: 'sampling/createMessage' as const, answer }];
    const args = this.#json(['assert_sampling', 'args']);
    this.#add({ method: 'tools/call', tool, arguments: args, answers }, 'assert_sampling', 'tool');
  }

  #notifications({ tool, expect }: Of<'assert_notifications'>): void {
    const at = ['assert_notifications', 'expect'];
    this.#others(at, ['methods', 'min_count']);
    const { methods, min_count: least } = expect ?? {};
    const [method, ...others] = methods ?? [];
    const only = others.length === 0 ? method : undefined;
    if (least != null && only === undefined)
      this.#note([...at, 'min_count'], 'min_count needs exactly one method');
    if (others.length > 0) this.#note([...at, 'methods'], 'the methods have to come in this order');
    const messages =
      only !== undefined && least != null
        ? this.#repeated([...at, 'min_count'], only, least)
        : (methods ?? []);
    this.#addMessages('assert_notifications', tool, messages);
  }

  #logging({ set_level: level, tool, args, expect }: Of<'assert_logging'>): void {
    const at = ['assert_logging', 'expect'];
    this.#others(at, ['min_messages']);
    if (level != null) {
      const step = { name: `level ${level}`, method: 'logging/setLevel', tool: null };
      this.#calls.push({ ...plainCall, ...step, arguments: JSON.stringify({ level }), expect: anyResult });
    }
    const least = expect?.min_messages ?? 0;
    const messages = this.#repeated([...at, 'min_messages'], 'notifications/message', least);
    if (tool != null) return this.#addMessages('assert_logging', tool, messages);
    if (args != null) this.#note(['assert_logging', 'args'], 'args needs a tool');
    if (messages.length > 0) this.#note([...at, 'min_messages'], 'min_messages needs a tool');
  }

  /** Adds a call whose result is checked. */
  #add(
    call: Pick<SavedCall, 'method' | 'tool' | 'arguments'> & Partial<Pick<SavedCall, 'answers'>>,
    at: 'assert' | 'assert_resources' | 'assert_prompts' | 'assert_sampling',
    kind: keyof typeof textPaths,
  ): void {
    const expect = this.#expect([at, 'expect'], this.#suite[at]?.expect ?? {}, kind);
    const duration = this.#longest;
    this.#calls.push({ ...plainCall, ...call, name: this.#name, expect: { ...expect, duration } });
  }

  /** Adds a call of a tool that has to send these messages. */
  #addMessages(at: 'assert_notifications' | 'assert_logging', tool: string, messages: string[]): void {
    const args = this.#json([at, 'args']);
    const expect = { ...anyResult, messages, duration: this.#longest };
    this.#calls.push({
      ...plainCall,
      name: this.#name,
      method: 'tools/call',
      tool,
      arguments: args,
      expect,
    });
  }

  #repeated(path: readonly PropertyKey[], method: string, times: number): string[] {
    if (times > MAX_MESSAGES) this.#note(path, `only ${MAX_MESSAGES} messages can be expected`);
    return Array.from({ length: Math.min(times, MAX_MESSAGES) }, () => method);
  }

  #note(path: readonly PropertyKey[], message: string): void {
    const parent = this.#document.getIn(path.slice(0, -1), true);
    const key = memberNode(path.length === 1 ? this.#document.contents : parent, String(path.at(-1)))?.key;
    const node = key ?? nearest(this.#document, path);
    this.#unsupported.push({ ...this.#placeOf(node), message });
  }

  /** Names the members of a map that become nothing. */
  #others(path: readonly PropertyKey[], names: readonly string[]): void {
    const node = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      const name = String(isScalar(key) ? key.value : key);
      const isUnset = value === null || (isScalar(value) && (value.value === null || value.value === false));
      if (!names.includes(name) && !isUnset) this.#note([...path, name], `${name} is not supported`);
    }
  }

  /** The server, as a test file names it; a command line of `sightglass test` comes first. */
  #target(): string {
    const { server } = this.#suite;
    if (server == null) return '';
    this.#others(['server'], converted.server);
    const { command, args, url } = server;
    const words = [...(command == null ? [] : [command]), ...(args ?? [])];
    const written = url == null || url === '' ? words : [url];
    if (written.some((word) => word.includes('{{') || word.includes('${'))) {
      this.#note(['server'], 'the server has variables: name it behind -- of sightglass test');
      return '';
    }
    if (url != null && url !== '') return `target: { url: ${JSON.stringify(url)} }\n`;
    return words.length === 0 ? '' : `target: { command: ${JSON.stringify(words)} }\n`;
  }

  #json(path: readonly PropertyKey[]): string {
    const node = this.#document.getIn(path, true);
    if (node === undefined || (isScalar(node) && node.value === null)) return '{}';
    return mapLeaves(jsonOfNode(node), (leaf) => {
      if (!leaf.startsWith('"')) return leaf;
      const value = String(JSON.parse(leaf));
      const now = this.#withVariables(value);
      return now === value ? leaf : JSON.stringify(now);
    });
  }

  #withVariables(text: string): string {
    return withoutVariables(text).replaceAll(/\{\{([\p{L}_][\p{L}\p{N}_.-]*)\}\}/gu, (whole, name: string) =>
      this.#variables.has(name) ? `\${${name}}` : whole,
    );
  }

  #captures(at: readonly PropertyKey[], captures: Readonly<Record<string, string>>): Record<string, string> {
    const known: [string, string][] = [];
    for (const [name, path] of Object.entries(captures)) {
      const steps = stepsOf(path);
      if (steps === null || !/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(name))
        this.#note([...at, name], `capture ${name} from ${path} is not supported`);
      else {
        known.push([name, pathText([...textPaths.tool, ...steps])]);
        this.#variables.add(name);
      }
    }
    return Object.fromEntries(known);
  }

  #expect(at: readonly PropertyKey[], expect: Expect, kind: keyof typeof textPaths): Expectations {
    this.#others(at, converted.expect);
    const values: ValueCheck[] = [];
    const path = pathText(textPaths[kind]);
    const match = (name: string, pattern: string) => {
      // A list is no text. It is never empty.
      if (kind === 'list') {
        if (name !== 'not_empty') this.#note([...at, name], `${name} of a list is not supported`);
        return;
      }
      const parsed = patternSchema.safeParse(pattern);
      if (parsed.success) values.push({ path, check: { kind: 'matches', pattern } });
      else
        this.#note(
          [...at, name],
          `${name}: ${JSON.stringify(pattern)} is not a valid JavaScript regular expression`,
        );
    };
    for (const one of expect.contains ?? []) match('contains', escaped(one));
    const any = expect.contains_any ?? [];
    if (any.length > 0) match('contains_any', any.map(escaped).join('|'));
    for (const one of expect.not_contains ?? []) match('not_contains', `^(?![\\s\\S]*${escaped(one)})`);
    if (expect.equals != null) match('equals', `^\\s*${escaped(expect.equals.trim())}\\s*$`);
    for (const one of expect.matches_regex ?? []) match('matches_regex', withoutVariables(one));
    const order = expect.in_order ?? [];
    if (order.length > 0) match('in_order', order.map(escaped).join('[\\s\\S]*'));
    if (expect.not_empty === true) match('not_empty', String.raw`^(?!\s*(?:null|\[\]|\{\})?\s*$)`);
    for (const [name, value] of Object.entries(expect.json_path ?? {})) {
      const steps = stepsOf(name);
      const node = this.#document.getIn([...at, 'json_path', name], true);
      if (steps === null || node === undefined || isMap(node) || isSeq(node)) {
        this.#note([...at, 'json_path', name], `json_path ${name} is not supported`);
        continue;
      }
      const json = jsonOfNode(node);
      if (typeof value === 'string' && /^(?:-?\d[\d.]*|true|false)$/.test(value))
        this.#note(
          [...at, 'json_path', name],
          `json_path ${name} is compared as a string, and not with the number or word ${value}`,
        );
      values.push({ path: pathText([...textPaths[kind], ...steps]), check: { kind: 'equals', value: json } });
    }
    if (expect.net_delta != null) {
      const delta = pathText([...textPaths[kind], 'net_delta']);
      values.push({ path: delta, check: { kind: 'equals', value: String(expect.net_delta) } });
    }
    if (kind === 'tool' && expect.not_error !== true && expect.is_error !== true)
      this.#note(at, 'neither not_error nor is_error: the converted call has to succeed');
    if (kind === 'tool' && expect.not_error === true && expect.is_error === true)
      this.#note([...at, 'is_error'], 'not_error and is_error exclude each other');
    return {
      ...anyResult,
      status: expect.is_error === true ? 'tool-error' : 'ok',
      values,
      progress: expect.min_progress == null ? null : { atLeast: expect.min_progress, every: null },
    };
  }

  /** Milliseconds of a time of Go, such as 1m30s. */
  #duration(timeout: string | null): number | null {
    if (timeout === null) return null;
    const parts = [...timeout.matchAll(/(\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h)/g)];
    const milliseconds = parts.reduce(
      (sum, [, number, unit]) => sum + Number(number) * (units.get(unit ?? '') ?? 0),
      0,
    );
    if (milliseconds > 0 && parts.map(([whole]) => whole).join('') === timeout) return milliseconds;
    this.#note(['timeout'], `timeout ${timeout} is not supported`);
    return null;
  }
}

/** Limit of messages that a call is expected to send. */
const MAX_MESSAGES = 1000;

const units: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** A text as a regular expression that matches it, in which nothing is a variable. */
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** A path of mcp-assert (`$.field.list[0]`); null if the text is not one. */
function stepsOf(path: string): PathStep[] | null {
  if (!path.startsWith('$.')) return null;
  const steps: PathStep[] = [];
  for (const part of path.slice(2).split('.')) {
    const [, name, index] = /^([^[\]]+)(?:\[(\d{1,9})\])?$/.exec(part) ?? [];
    if (name === undefined) return null;
    steps.push(name, ...(index === undefined ? [] : [Number(index)]));
  }
  return steps;
}
