/** What a data URI (RFC 2397) holds: base64 of a type, or text. */
export type DataUri =
  | { readonly mimeType: string; readonly base64: string }
  | { readonly mimeType: string; readonly text: string };

/** Takes a data URI apart; null when it is none. Nothing is loaded. */
export function readDataUri(uri: string): DataUri | null {
  const comma = uri.indexOf(',');
  if (!uri.startsWith('data:') || comma === -1) return null;
  const [mimeType = '', ...parameters] = uri.slice(5, comma).split(';');
  const rest = uri.slice(comma + 1);
  const type = mimeType === '' ? 'text/plain' : mimeType;
  if (parameters.at(-1) === 'base64') return { mimeType: type, base64: rest };
  try {
    return { mimeType: type, text: decodeURIComponent(rest) };
  } catch {
    return { mimeType: type, text: rest };
  }
}
