import { isIP } from 'node:net';
import type {
  HeaderLines,
  HttpConnectedRecord,
  HttpEndRecord,
  HttpRequestRecord,
  HttpResponseRecord,
} from '#shared/trace/record.ts';

/** The records of an exchange without its bodies. */
export interface Exchange {
  readonly request: HttpRequestRecord;
  readonly connected: HttpConnectedRecord | null;
  /** The final response. */
  readonly response: HttpResponseRecord | null;
  readonly end: HttpEndRecord | null;
}

/** Parts of an entry as HAR 1.2 has them (http://www.softwareishard.com/blog/har-12-spec/). */
interface NameValue {
  readonly name: string;
  readonly value: string;
}

const UNKNOWN = -1;

/** The request without its body. */
export function requestOf({ request, response }: Exchange) {
  const { method, url, headers, bodySize } = request;
  return {
    method,
    url: asUri(url),
    httpVersion: versionOf(response),
    cookies: valuesOf(headers, 'cookie').flatMap((line) => line.split(';').flatMap(cookiePair)),
    headers: namesAndValues(headers),
    queryString: queryOf(url),
    headersSize: UNKNOWN,
    bodySize,
  };
}

/** The response without its content. Its status is 0 if the exchange failed before there was one. */
export function responseOf({ response, end }: Exchange) {
  const headers = response?.headers ?? [];
  return {
    status: response?.status ?? 0,
    statusText: response?.reason ?? '',
    httpVersion: response === null ? '' : versionOf(response),
    cookies: valuesOf(headers, 'set-cookie').flatMap(setCookie),
    headers: namesAndValues(headers),
    redirectURL: valuesOf(headers, 'location')[0] ?? '',
    headersSize: UNKNOWN,
    bodySize: response === null ? UNKNOWN : (end?.size ?? UNKNOWN),
  };
}

/** The media type of a body as its sender named it. */
export const mimeTypeOf = (headers: HeaderLines): string =>
  valuesOf(headers, 'content-type')[0] ?? 'x-unknown';

/** Milliseconds of each step; -1 if it does not apply or is unknown. `connect` includes TLS. */
export function timingsOf({ request, connected, response, end }: Exchange) {
  const { lookup, connect, proxy, tls } = connected?.took ?? {};
  const isNew = connected !== null && !connected.reused;
  const took = isNew && connect !== undefined ? connect + (proxy ?? 0) + (tls ?? 0) : null;
  const before = connected === null ? null : connected.at - request.at;
  const blocked = before === null ? null : Math.max(0, before - (isNew ? (lookup ?? 0) + (took ?? 0) : 0));
  const sentAt = connected?.at ?? request.at;
  const firstAt = response?.at ?? end?.at;
  return {
    blocked: milliseconds(blocked),
    dns: milliseconds(isNew ? (lookup ?? null) : null),
    connect: milliseconds(took),
    ssl: milliseconds(isNew ? (tls ?? null) : null),
    // The time of the last sent byte is not recorded: sending is part of `wait`.
    send: 0,
    wait: milliseconds(firstAt === undefined ? null : Math.max(0, firstAt - sentAt)),
    receive: milliseconds(response === null || end === null ? null : Math.max(0, end.at - response.at)),
  };
}

/** Milliseconds of all steps together. */
export const timeOf = ({ ssl: _, ...steps }: ReturnType<typeof timingsOf>): number =>
  Object.values(steps).reduce((sum, step) => sum + Math.max(0, step), 0);

/** What is known of the connection. */
export function connectionOf({ connected }: Exchange) {
  if (connected === null) return {};
  const [, address = '', port = ''] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(connected.remote) ?? [];
  return {
    ...(isIP(address) !== 0 && { serverIPAddress: address }),
    ...(port !== '' && { connection: port }),
  };
}

/** Why an exchange failed. Custom members begin with an underscore (HAR 1.2). */
export function errorOf({ response, end }: Exchange) {
  if (end?.failure !== undefined) {
    const { step, code, message } = end.failure;
    return { _error: `${step}: ${code}: ${message}` };
  }
  if (end?.how === 'cut') return { _error: 'The server broke off inside the body.' };
  if (response !== null) return {};
  return {
    _error: end === null ? 'There is no response on record.' : 'It was broken off before a response came.',
  };
}

const milliseconds = (microseconds: number | null): number =>
  microseconds === null ? UNKNOWN : microseconds / 1000;

const versionOf = (response: HttpResponseRecord | null): string => `HTTP/${response?.httpVersion ?? '1.1'}`;

const namesAndValues = (headers: HeaderLines): NameValue[] =>
  headers.map(([name, value]) => ({ name, value }));

const valuesOf = (headers: HeaderLines, wanted: string): string[] =>
  headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);

function cookiePair(pair: string): NameValue[] {
  const sign = pair.indexOf('=');
  if (pair.trim() === '') return [];
  return [{ name: pair.slice(0, Math.max(0, sign)).trim(), value: pair.slice(sign + 1).trim() }];
}

function setCookie(line: string) {
  const [pair = '', ...attributes] = line.split(';');
  const has = (name: string) => attributes.some((one) => one.trim().toLowerCase() === name);
  const path = attributes.map((one) => /^\s*path=(.*)$/i.exec(one)?.[1]).find((one) => one !== undefined);
  return cookiePair(pair).map((cookie) => ({
    ...cookie,
    ...(path !== undefined && { path: path.trim() }),
    httpOnly: has('httponly'),
    secure: has('secure'),
  }));
}

function queryOf(url: string): NameValue[] {
  const [, query = ''] = /\?([^#]*)/.exec(url) ?? [];
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      return { name: decoded(name), value: decoded(rest.join('=')) };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // It is malformed: show it as written.
    return text;
  }
}

/** A valid URL (RFC 3986) from one that may contain a placeholder. */
function asUri(url: string): string {
  const [, scheme = '', authority = '', rest = url] =
    /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)(.*)$/is.exec(url) ?? [];
  const at = authority.lastIndexOf('@');
  return `${scheme}${encoded(authority.slice(0, at + 1))}${authority.slice(at + 1)}${encoded(rest)}`;
}

/** An unpaired surrogate is not valid in a URL. */
const encoded = (part: string): string =>
  Buffer.from(part)
    .toString()
    .replaceAll(/[^\w\-.~:/?#@!$&'()*+,;=%]|%(?![0-9a-f]{2})/giu, (character) =>
      encodeURIComponent(character),
    );
