import { z } from 'zod';
import { readBase64 } from '#shared/base64.ts';
import { elementTexts, memberText } from '#shared/json/members.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** One of the contents of a resource (MCP resources, resource contents). All of it is untrusted. */
export interface Contents {
  readonly uri: string | null;
  readonly mimeType: string | null;
  readonly body:
    | { readonly kind: 'text'; readonly text: string; readonly size: number }
    /** Base64; the size in bytes is null if it is invalid. */
    | { readonly kind: 'blob'; readonly data: string; readonly size: number | null }
    | { readonly kind: 'none' };
  /** What breaks the specification. */
  readonly errors: readonly string[];
  /** Its JSON text, as written. */
  readonly raw: string;
}

export interface ReadContents {
  readonly contents: readonly Contents[];
  /** Errors of the result as a whole. */
  readonly errors: readonly string[];
}

const optionalText = z.string().nullable().catch(null);

const contentsSchema = z.object({
  uri: optionalText,
  mimeType: optionalText,
  text: optionalText,
  blob: optionalText,
});

/** Parses the result of a `resources/read`. Null if the text is not a JSON object. */
export function readContents(text: string): ReadContents | null {
  const result = parseOrUndefined(text);
  if (!isObject(result)) return null;
  if (!Array.isArray(result.contents)) {
    const error =
      result.contents === undefined
        ? 'It has no "contents", which is required.'
        : '"contents" is not a list.';
    return { contents: [], errors: [error] };
  }
  const raws = elementTexts(memberText(text, ['contents']) ?? '');
  return {
    contents: result.contents.map((value, index) => contentsOf(value, raws[index] ?? '')),
    errors: result.contents.length === 0 ? ['The list of contents is empty.'] : [],
  };
}

function contentsOf(value: unknown, raw: string): Contents {
  if (!isObject(value)) {
    return { uri: null, mimeType: null, body: { kind: 'none' }, errors: ['It is not an object.'], raw };
  }
  const { uri, mimeType, text, blob } = contentsSchema.parse({
    uri: null,
    mimeType: null,
    text: null,
    blob: null,
    ...value,
  });
  const errors: string[] = [];
  if (uri === null) errors.push('It has no "uri", which is required.');
  if (text !== null && blob !== null) errors.push('It has both "text" and "blob"; the text is shown.');
  if (text === null && blob === null) errors.push('It has neither "text" nor "blob".');
  if (text !== null) {
    const size = new TextEncoder().encode(text).length;
    return { uri, mimeType, body: { kind: 'text', text, size }, errors, raw };
  }
  if (blob === null) return { uri, mimeType, body: { kind: 'none' }, errors, raw };
  const { size, fault } = readBase64(blob);
  if (fault !== null) errors.push(`The blob is not base64: ${fault}.`);
  return { uri, mimeType, body: { kind: 'blob', data: blob, size }, errors, raw };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Facts of a PDF document that its bytes tell without a reader. */
export function pdfFacts(bytes: Uint8Array): string[] {
  const text = new TextDecoder('latin1').decode(bytes);
  const version = /^%PDF-(\d\.\d)/.exec(text)?.[1];
  if (version === undefined) return ['Its first bytes are not those of a PDF.'];
  const pages = text.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  return [
    `PDF ${version}`,
    pages > 0 ? `${pages} ${pages === 1 ? 'page' : 'pages'}` : 'pages in compressed objects',
    /\/Encrypt\s/.test(text) ? 'encrypted' : null,
    /\/JavaScript\b|\/JS\s/.test(text) ? 'contains JavaScript' : null,
    text.includes('%%EOF') ? null : 'cut short: the end is missing',
  ].filter((fact) => fact !== null);
}
