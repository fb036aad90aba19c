import type { AuthorizationParameter, StepRequest } from '../contract/authorization.ts';
import { isHeaderName, ownHeaders, shellWord } from '../shell-words.ts';

/** A request of a step as a command, and the variables that it needs. */
export interface StepCommand {
  readonly text: string;
  /** Their names, in the order of their first use. */
  readonly variables: readonly string[];
}

/**
 * Variables by the names of secrets. A name of a recording that someone else made could be that of any variable of the
 * user, such as `PATH`, so no other names are taken over.
 */
const variableNames: Readonly<Record<string, string>> = {
  code: 'CODE',
  code_verifier: 'CODE_VERIFIER',
  client_secret: 'CLIENT_SECRET',
  client_assertion: 'CLIENT_ASSERTION',
  refresh_token: 'REFRESH_TOKEN',
  access_token: 'ACCESS_TOKEN',
  assertion: 'ASSERTION',
  subject_token: 'SUBJECT_TOKEN',
  actor_token: 'ACTOR_TOKEN',
  token: 'TOKEN',
  authorization: 'AUTHORIZATION',
  dpop: 'DPOP_PROOF',
};

/** How the secrets of a request are written. */
export type SecretStyle =
  /** As shell variables, which the user sets before. */
  | 'variables'
  /** As texts to replace: a command of a recording must read no variable of the user. */
  | 'placeholders';

/**
 * The curl command that sends a request of a step as Sightglass would. Nothing in it can become an option, name a file, or
 * be run by the shell, except that the secrets are variables.
 *
 * @param request as it would be sent, or was; a value that is null is a secret
 * @returns null if its URL is not HTTP
 */
export function stepCommand(request: StepRequest, style: SecretStyle): StepCommand | null {
  const { method, headers, bodyKind } = request;
  if (!/^https?:\/\//i.test(request.url)) return null;
  const secrets = new Secrets(style);
  const url = urlPieces(request, secrets);
  const usual = bodyKind === 'none' ? 'GET' : 'POST';
  const sent = headers.filter(({ isOn, name }) => isOn && isHeaderName.test(name));
  const has = (name: string) => sent.some((one) => one.name.toLowerCase() === name);
  const lines = [
    `curl${method === usual ? '' : ` --request ${shellWord(method)}`} --url ${wordOf(url)}`,
    // curl expands brackets in an address to several addresses.
    ...(url.some((piece) => typeof piece === 'string' && /[[\]{}]/.test(piece)) ? ['--globoff'] : []),
    ...sent.flatMap((one) => headerWords(one, secrets)),
    // curl would add these itself.
    ...['accept', 'user-agent', ...(bodyKind === 'none' ? [] : ['content-type'])]
      .filter((name) => !has(name))
      .map((name) => `--header ${titles[name] ?? name}:`),
    ...bodyWords(request, secrets),
  ];
  return { text: lines.join(' \\\n  '), variables: secrets.used };
}

const titles: Readonly<Record<string, string>> = {
  accept: 'Accept',
  'user-agent': 'User-Agent',
  'content-type': 'Content-Type',
};

/** The URL for the browser of a step that opens one; its secrets are texts to replace. */
export function browserUrl(request: StepRequest): string {
  const pieces = urlPieces(request, new Secrets('placeholders'));
  return pieces.map((piece) => (typeof piece === 'string' ? piece : piece.variable)).join('');
}

/** Literal text, or a variable. */
type Piece = string | { readonly variable: string };

class Secrets {
  readonly used: string[] = [];
  readonly #style: SecretStyle;
  /** By name and fingerprint, so that equal secrets get the same variable. */
  readonly #variables = new Map<string, string>();

  constructor(style: SecretStyle) {
    this.#style = style;
  }

  /** What is written for a value. */
  piece({ name, value, fingerprint }: AuthorizationParameter, encode = (text: string) => text): Piece {
    if (value !== null) return encode(value);
    const mark = fingerprint === null ? '' : ` ${fingerprint}`;
    if (this.#style === 'placeholders') return `[secret ${name}${mark}]`;
    const key = `${name.toLowerCase()}${mark}`;
    const known = this.#variables.get(key);
    if (known !== undefined) return { variable: known };
    const variable = this.#free(variableNames[name.toLowerCase()] ?? 'SECRET');
    this.#variables.set(key, variable);
    this.used.push(variable);
    return { variable };
  }

  #free(name: string): string {
    for (let count = 1; ; count++) {
      const variable = count === 1 ? name : `${name}_${count}`;
      if (!this.used.includes(variable)) return variable;
    }
  }
}

/** Pieces as one word of a POSIX shell. */
const wordOf = (pieces: readonly Piece[]): string => {
  const joined = pieces.reduce<Piece[]>((all, piece) => {
    const last = all.at(-1);
    if (typeof last === 'string' && typeof piece === 'string') all[all.length - 1] = last + piece;
    else all.push(piece);
    return all;
  }, []);
  return joined
    .filter((piece) => piece !== '' || joined.length === 1)
    .map((piece) => (typeof piece === 'string' ? shellWord(piece) : `"$${piece.variable}"`))
    .join('');
};

/** As `application/x-www-form-urlencoded` has it (URL Standard 5.2), which the engine writes. */
const encoded = (text: string): string =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
    .replaceAll(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');

function urlPieces({ url, query }: StepRequest, secrets: Secrets): Piece[] {
  const on = query.filter(({ isOn }) => isOn);
  if (on.length === 0) return [url];
  const first = url.includes('?') ? '&' : '?';
  return [
    url,
    ...on.flatMap((one, at): Piece[] => [
      `${at === 0 ? first : '&'}${encoded(one.name)}=`,
      secrets.piece(one, encoded),
    ]),
  ];
}

function headerWords(header: AuthorizationParameter, secrets: Secrets): string[] {
  const { name, value } = header;
  const lower = name.toLowerCase();
  if (ownHeaders.has(lower)) return [];
  if (value === '') return [`--header ${shellWord(`${name};`)}`];
  return [`--header ${wordOf([`${name}: `, secrets.piece(header)])}`];
}

/** Each field in an option of its own: curl joins them with `&`, and encodes a secret. */
function bodyWords({ bodyKind, body }: StepRequest, secrets: Secrets): string[] {
  const on = body.filter(({ isOn }) => isOn);
  switch (bodyKind) {
    case 'none':
      return [];
    case 'form': {
      if (on.length === 0) return [`--data-raw ''`];
      return on.map((one) => {
        const piece = secrets.piece(one, encoded);
        const option = typeof piece === 'string' ? '--data-raw' : '--data-urlencode';
        return `${option} ${wordOf([`${encoded(one.name)}=`, piece])}`;
      });
    }
    case 'json': {
      // A member has its value as JSON; a secret is a string.
      const members = on.flatMap((one, at): Piece[] => {
        const piece = secrets.piece(one);
        const isText = one.value === null;
        return [
          `${at === 0 ? '' : ','}${JSON.stringify(one.name)}:${isText ? '"' : ''}`,
          piece,
          ...(isText ? ['"'] : []),
        ];
      });
      return [`--data-raw ${wordOf(['{', ...members, '}'])}`];
    }
  }
}
