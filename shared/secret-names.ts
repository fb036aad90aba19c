import { withoutEnd } from './trim.ts';
import { isOrdinary } from './ordinary-values.ts';

/*
 * The one table of names that say that a value is secret: of headers, variables, parameters of URLs, fields of forms, and
 * members of JSON. A name is split into words where its case changes and at other characters, so `monkey` is no `key`.
 */

/** Where a name occurs. A `member` is one of JSON that we did not ask for, where fewer names are certain. */
type Place = 'variable' | 'header' | 'parameter' | 'field' | 'member';

/** Names that the user or an API chose for a value that somebody enters. */
const entered: readonly Place[] = ['variable', 'header', 'parameter', 'field'];
const everywhere: readonly Place[] = [...entered, 'member'];

interface SecretName {
  /** In small letters, without separators. */
  readonly name: string;
  readonly in: readonly Place[];
}

const named = (names: string, places: readonly Place[]): SecretName[] =>
  names.split(' ').map((name) => ({ name, in: places }));

/** Endings that are found in any spelling: `accesstoken` and `X-Access-Token`. */
const endings: readonly SecretName[] = [
  ...named(
    'token password passwd passphrase passcode passkey pwd secret apikey accesskey secretkey privatekey signingkey ' +
      'encryptionkey authkey masterkey sharedkey subscriptionkey accountkey credential credentials authorization cookie ' +
      'codeverifier clientassertion connectionstring jwt passwordhash secrets passwords apikeys accesstokens refreshtokens',
    everywhere,
  ),
  ...named(
    'passwort kennwort sshkey appkey userkey licensekey licencekey consumerkey sessionkey deploykey recoverykey ' +
      'securitycode verificationcode onetimecode backupcode recoverycode seedphrase recoveryphrase recoveryseed',
    entered,
  ),
  ...named('idtokenhint devicecode', ['parameter']),
  // The URL and the header of a session have one too, and it has to be seen there.
  ...named('sessionid', ['member']),
  // The longest is the most specific: `accesstokens` before `token`.
].sort((one, other) => other.name.length - one.name.length);

/** Names that are but a part of other words, such as `spin` and `keyboard`, and count as a word of their own only. */
const words: readonly SecretName[] = [
  ...named('pat', everywhere),
  ...named('pass key auth otp totp mfa 2fa pin pincode puk cvv cvc pw psw creds bearer mnemonic', entered),
  ...named('tan', ['field']),
  ...named('code assertion', ['parameter', 'field']),
  ...named('sig signature', ['parameter']),
];

/** Whole names that end in one of the table and are not secret: handles of paging, and tokens of language models. */
const harmless: ReadonlySet<string> = new Set(
  (
    'progresstoken pagetoken nextpagetoken prevpagetoken previouspagetoken nexttoken continuationtoken ' +
    'synctoken starttoken stoptoken endtoken cancellationtoken canceltoken bostoken eostoken padtoken unktoken ' +
    'masktoken maxtoken'
  ).split(' '),
);

/** Words that make a harmless name of the one that follows: `primaryKey`, `country_code`, `boarding-pass`. */
const harmlessBefore: Readonly<Record<string, ReadonlySet<string>>> = {
  key: new Set(
    (
      'primary foreign public sort partition row cache map object idempotency hot short shortcut arrow lookup composite ' +
      'unique index group message routing dedup dedupe parent node json order column field item record range hash natural ' +
      'surrogate candidate search event metric feature config setting translation locale i18n dictionary'
    ).split(' '),
  ),
  code: new Set(
    (
      'country language lang zip postal post error status exit currency area color colour source bar qr response region ' +
      'locale state http product item airport iata icao dial phone promo coupon discount key char return result reason ' +
      'city province department course tax swift byte python js script html css sample example'
    ).split(' '),
  ),
  pass: new Set('boarding by ski bus day season render over'.split(' ')),
  pin: new Set('map gpio led drop'.split(' ')),
};

/** Last words that do not change what a name is of: `API_KEY_2`, `password-confirm`, `tokenValue`. */
const variants: ReadonlySet<string> = new Set(
  (
    'prod production dev development staging stage test testing live sandbox old new next previous current main default ' +
    'backup value string text field input confirm confirmation repeat again base64 b64 number plain raw'
  ).split(' '),
);

/** Last words by which a variable or header is about a secret and holds none: `TOKEN_LIMIT`, `AUTH_URL`. */
const aspects: ReadonlySet<string> = new Set(
  (
    'url uri endpoint type limit limits count name names file path dir folder expiry expires expiration ttl age size length ' +
    'method mode enabled disabled header prefix suffix host port domain issuer scope scopes version format algorithm alg ' +
    'budget timeout policy provider required rotation interval audience realm usage cost price kind region email'
  ).split(' '),
);

/** Headers of browsers, proxies and MCP that have such a word in their names and carry no credential. */
const harmlessHeaders = /^(?:mcp-|sec-|access-control-|idempotency-key$|www-|proxy-authenticate$)/i;

/** Folders of a shell. */
const folders: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);

/** Most names have none of them, which this says faster than their words do. */
const anyName = new RegExp([...endings, ...words].map(({ name }) => name).join('|'));

/** Limit of characters of a name. */
const LONGEST = 80;

/** Whether a variable of this name holds a secret, as far as a name can say. */
export const isSecretVariable = (name: string): boolean =>
  !folders.has(name) && secretNameIn(name, 'variable') !== null;

/** Whether a header of this name carries a credential, as far as a name can say. */
export const isSecretHeader = (name: string): boolean =>
  !harmlessHeaders.test(name) && secretNameIn(name, 'header') !== null;

/** Whether a parameter of a URL carries a credential, whatever the style of its name (`api_key`, `apiKey`). */
export const isCredentialParameter = (name: string): boolean => secretNameIn(name, 'parameter') !== null;

/** The row of the table by which a field of a form asks for a secret, such as `pin`; null if it does not. */
export const secretField = (name: string): string | null => secretNameIn(name, 'field');

/** The ending by which the name of a member of JSON says that it holds a secret; null if it does not. */
export const secretMember = (name: string): string | null => secretNameIn(name, 'member');

/** A limit or a switch, such as TOKEN_LIMIT=4096: as a secret it would be hidden without a reason. */
const isFlag = /^(?:\d{0,6}|true|false|yes|no|on|off)$/i;

/** Whether a variable holds a secret, by its name and unless its value is a mere number or switch. */
export const holdsSecret = (name: string, value: string): boolean =>
  isSecretVariable(name) && !isFlag.test(value);

/** The row of the table that a name ends in; of several the longest, which is the most specific. */
function secretNameIn(name: string, place: Place): string | null {
  if (name.length > LONGEST || !anyName.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))) return null;
  const all = wordsOf(name);
  if (harmless.has(all.join(''))) return null;
  const isAnywhere = place === 'variable' || place === 'header';
  if (isAnywhere && aspects.has(all.at(-1) ?? '')) return null;
  const least = isAnywhere ? 1 : Math.max(1, all.findLastIndex((word) => !isVariant(word)) + 1);
  for (let end = all.length; end >= least; end--) {
    const found = endOf(all.slice(0, end), place);
    if (found !== null) return found;
  }
  return null;
}

const DIGITS = '0123456789';

function endOf(parts: readonly string[], place: Place): string | null {
  const joined = withoutEnd(parts.join(''), DIGITS);
  const ending = endings.find((one) => joined.endsWith(one.name) && one.in.includes(place));
  if (ending !== undefined) return ending.name;
  const last = withoutEnd(parts.at(-1) ?? '', DIGITS);
  const word = words.find((one) => one.in.includes(place) && one.name === last);
  if (word === undefined || harmlessBefore[word.name]?.has(parts.at(-2) ?? '') === true) return null;
  return word.name;
}

const isVariant = (word: string): boolean => /^\d+$/.test(word) || variants.has(word);

/** The words of a name in small letters: `clientAPIKey`, `CLIENT_API_KEY` and `client-api-key` have the same. */
const wordsOf = (name: string): string[] =>
  (/\p{Lu}/u.test(name)
    ? name.replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ').toLowerCase()
    : name
  )
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '');

/** Characters of the shortest value that need not be a credential and is searched for outside its header. */
const MIN_LEARNED = 8;

/** Whether a secret is long enough to be looked for wherever it may be repeated. */
export const isLong = (value: string): boolean => value.length >= MIN_LEARNED;

/** Whether a value that need not be a credential, such as a cookie of settings, can be told from ordinary text. */
export const isDistinct = (value: string): boolean =>
  isLong(value) && !isOrdinary(value) && !/^\d{1,15}$/.test(value);
