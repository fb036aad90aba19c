/*
 * Tells values that occur in ordinary text from those that only somebody who knows them would write. A value is hidden in its
 * own header or variable in any case. It is looked for elsewhere only if it is not ordinary: otherwise `http`, `content` or
 * `2025-06-18` as the value of a header would be replaced in messages, and in the keys of our own output.
 */

/** Characters of the shortest value that is searched for. */
const SHORTEST = 4;
/** A word below this length may be any word. */
const SHORT_WORD = 8;
/** A number that is not ordinary: longer than a port. */
const LONG_NUMBER = /\d{6}/;
/** Words are shorter; what is as long is searched for, unless each of its words is one of a protocol. */
const LONG = 16;

/**
 * Words of the protocol, of JSON and its schemas, of HTTP, of locales and environments. A value that is made of them, and of
 * numbers, is ordinary however long it is.
 */
const vocabulary: ReadonlySet<string> = new Set(
  // MCP and JSON-RPC
  (
    'jsonrpc rpc mcp id ids method methods params param result results error errors code data message messages ' +
    'initialize initialized notification notifications request requests response responses ping cancel cancelled progress ' +
    'tool tools resource resources prompt prompts template templates root roots sampling elicitation completion complete ' +
    'list call get read set subscribe unsubscribe changed updated update create task tasks cursor next server servers client ' +
    'clients info capabilities capability experimental extensions protocol version versions session stream streamable stdio ' +
    'sse http https ws wss websocket transport meta name title description annotations audience priority role user users ' +
    'assistant content contents text image audio blob uri url urls link embedded structured structuredcontent logging level ' +
    'levels debug notice warning warn critical alert emergency trace fatal silent logger argument arguments hint ' +
    'is has mime draft destructive idempotent open world only discover input output value values reference ref refs model models max min stop ' +
    // JSON and its schemas
    'json schema schemas type types object array string number integer boolean null true false undefined nan properties ' +
    'property items required enum const default format pattern any all one of not if then else additional unevaluated ' +
    'definitions defs anchor date time duration email hostname ipv4 ipv6 uuid regex minimum maximum length examples ' +
    // HTTP
    'accept authenticate authorization bearer basic digest cache control no store age public private must revalidate proxy proto keep ' +
    'alive close connection upgrade chunked gzip deflate br brotli zstd identity compress encoding language charset utf ' +
    'ascii latin application multipart mixed form x www urlencoded octet event plain html css xml javascript ecmascript csv ' +
    'yaml markdown pdf png jpeg gif svg webp mpeg font wasm q range bytes host origin referer forwarded for by local ' +
    'localhost loopback internal same site cross strict lax secure path domain expires modified since match vary etag ' +
    'allow location retry after post put patch delete head options connect ok mozilla safari chrome firefox gecko applewebkit ' +
    'khtml like linux windows macos darwin android ios mac os intel arm arm64 amd x64 ' +
    // Locales, dates
    'en us gb de fr es it pt zh ja ko nl ru sv pl tr ar mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct ' +
    'nov dec gmt utc t z ' +
    // Programs and environments
    'node nodejs npm npx python uv uvx deno bun java go rust ruby php docker bash sh zsh main index src dist app api apis v ' +
    'dev development prod production staging stage test testing tests live sandbox preview beta alpha stable latest canary ' +
    'release enabled disabled enable disable yes on off auto none inspector sightglass curl fetch sdk typescript modern ' +
    'legacy context east west north south central eu ap sha md base oauth openid offline email profile write admin gpt ' +
    'claude sonnet haiku opus es ecma hello world foo bar baz example com org net io'
  ).split(' '),
);

/**
 * Pairs of letters that English words have, by their first letter. Nine of ten words have no other, and of a hundred tokens of
 * eight random letters about one.
 */
const pairs: Readonly<Record<string, string>> = {
  a: 'bcdfgiklmnprstuvwxy',
  b: 'aeilorsu',
  c: 'acehiklorstuy',
  d: 'adegilorsuy',
  e: 'abcdefghilmnopqrstuvwxy',
  f: 'aefilortuy',
  g: 'aeghilnorsu',
  h: 'aeimortu',
  i: 'abcdefglmnoprstvxz',
  j: 'eosu',
  k: 'eins',
  l: 'abdefilopstuvy',
  m: 'abeilmopsu',
  n: 'acdefgiklnopstuvy',
  o: 'abcdefgiklmnoprstuvwx',
  p: 'adehiloprstu',
  q: 'u',
  r: 'abcdefgiklmnoprstuvwy',
  s: 'acefhiklmopstuwy',
  t: 'acefhiloprstuwy',
  u: 'abcdefgilmnprst',
  v: 'aeio',
  w: 'aehinors',
  x: 'aceipt',
  y: 'aeilmnopstw',
  z: 'ei',
};

/**
 * Whether a value is a plain word, a number, a date, or made of words of the protocol, so that it occurs in text that has
 * nothing to do with it. A random token is not, nor a passphrase.
 */
export function isOrdinary(value: string): boolean {
  if (value.trim().length < SHORTEST || value === 'progressToken') return true;
  if (!/^[\w\s./:;,+*?=&~@#%!()-]*$/.test(value)) return false;
  if (LONG_NUMBER.test(value)) return false;
  const digits = value.replaceAll(/\D/g, '').length;
  if (digits >= LONG) return false;
  const words = value
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .filter((word) => word !== '');
  if (words.every((word) => vocabulary.has(word.toLowerCase()))) return true;
  const [word = ''] = words;
  return words.length === 1 && digits === 0 && word.length === value.trim().length && isWord(word);
}

/** Whether letters read as a word: all small, all capitals, or with a capital at the start. */
function isWord(letters: string): boolean {
  if (!/^[A-Z]?[a-z]+$|^[A-Z]+$/.test(letters) || letters.length >= LONG) return false;
  if (letters.length < SHORT_WORD) return true;
  const small = letters.toLowerCase();
  for (let at = 1; at < small.length; at++) {
    if (pairs[small.charAt(at - 1)]?.includes(small.charAt(at)) !== true) return false;
  }
  return true;
}
