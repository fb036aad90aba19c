/** Whether a variable of this name holds a secret, as far as a name can say. `PWD` alone is the folder of a shell. */
export const isSecretVariable = (name: string): boolean =>
  /^(?!PWD$)(?:.*_)?(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|PASSWD|PASS|PWD|CREDENTIALS?|AUTH|PAT|JWT)(?:_|$)/i.test(
    name,
  ) || /(?:PASSWORD|PASSWD|SECRET|TOKEN|APIKEY)$/i.test(name);

/** A limit or a switch, such as TOKEN_LIMIT=4096: as a secret it would be replaced wherever that number occurs. */
const isFlag = /^(?:\d{0,6}|true|false|yes|no|on|off)$/i;

/** Whether a variable holds a secret, by its name and unless its value is a mere number or switch. */
export const holdsSecret = (name: string, value: string): boolean =>
  isSecretVariable(name) && !isFlag.test(value);

/** Parameters of a URL that carry credentials (OAuth and what APIs commonly use), in small letters only. */
const credentialParameters: ReadonlySet<string> = new Set(
  (
    'accesstoken refreshtoken idtoken idtokenhint subjecttoken actortoken registrationaccesstoken token authtoken ' +
    'sessiontoken jwt code devicecode codeverifier clientsecret clientassertion assertion apikey xapikey key ' +
    'secret password passwd pwd sig signature xamzsignature xamzsecuritytoken xgoogsignature'
  ).split(' '),
);

/** Whether a parameter of a URL carries a credential, whatever the style of its name (`api_key`, `apiKey`). */
export const isCredentialParameter = (name: string): boolean =>
  credentialParameters.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''));

/**
 * Characters of the shortest secret that is searched for outside its header. Tokens are longer; shorter values would match
 * other text by chance.
 */
const MIN_LEARNED = 8;
/** A value below this length that is but a word or a number is found in ordinary text too. */
const MIN_PLAIN = 16;

/** Whether a secret is long enough to be looked for wherever it may be repeated. */
export const isLong = (value: string): boolean => value.length >= MIN_LEARNED;

/** Whether a value that need not be a credential, such as a cookie of settings, can be told from ordinary text. */
export const isDistinct = (value: string): boolean =>
  isLong(value) && (value.length >= MIN_PLAIN || !/^(?:[a-z]+|\d+)$/i.test(value));
