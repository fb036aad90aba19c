import { formatCount } from './format.ts';

/** What a text holds as base64 (RFC 4648 section 4): the size in bytes, or why it is not base64. */
export type Base64 =
  | { readonly size: number; readonly fault: null }
  /** `fault` says what it is instead, or what is wrong: `a data URI, …`. */
  | { readonly size: null; readonly fault: string };

/** Reads the `data` or `blob` of a message, which MCP wants as base64. The size is never a guess. */
export function readBase64(text: string): Base64 {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    return { size: (text.length / 4) * 3 - padding, fault: null };
  }
  return { size: null, fault: faultOf(text) };
}

function faultOf(text: string): string {
  if (/^\s*data:/i.test(text)) return 'it is a data URI; only what follows its comma belongs here';
  if (/^\s*[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'it is a URL';
  if (/\s/.test(text)) {
    const rest = readBase64(text.replace(/\s+/g, ''));
    return rest.fault === null ? 'it has line breaks or spaces inside' : rest.fault;
  }
  if (/^[A-Za-z0-9_-]*={0,2}$/.test(text) && /[-_]/.test(text)) {
    return 'it is URL-safe base64, which has "-" and "_" in place of "+" and "/"';
  }
  const alphabet = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  const end = text.slice(alphabet);
  if (end === '' && text.length % 4 !== 1) return 'the "=" at its end are missing';
  if (/^=*$/.test(end)) return `${formatCount(text.length)} characters are no whole number of bytes`;
  if (/^=+[A-Za-z0-9+/]/.test(end)) return 'it goes on after "=", which may only be at its end';
  const [wrong = ''] = end.replace(/^=+/, '');
  return `the character ${JSON.stringify(wrong)} is not one of base64`;
}
