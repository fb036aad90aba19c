/**
 * Variables by which a program can be made to load or run something else than its command line names, by what they do.
 * A name is compared without its case, as Windows and npm do.
 */
const risks: readonly (readonly [names: RegExp, does: string])[] = [
  [/^(LD|DYLD)_/, 'can load other code into every program that is started'],
  [/^(GCONV_PATH|GLIBC_TUNABLES|LOCPATH)$/, 'changes what the C library loads'],
  [
    /^NODE_(OPTIONS|PATH|REPL_EXTERNAL_MODULE|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)$/,
    'changes what Node.js loads or trusts',
  ],
  [/^ELECTRON_/, 'changes what Electron runs'],
  [/^(NPM_CONFIG|YARN|PNPM|BUN|DENO)_/, 'changes what the package runner fetches or runs'],
  [/^(PYTHON|PIP_|UV_|VIRTUAL_ENV)/, 'changes what Python loads'],
  [
    /^(BASH_ENV|ENV|ZDOTDIR|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|IFS|BASH_FUNC_.*)$/,
    'makes shells run or read something else first',
  ],
  [/^(RUBYOPT|RUBYLIB|GEM_(HOME|PATH)|BUNDLE_.*)$/, 'changes what Ruby loads'],
  [/^PERL(5.*|LIB|_.*)?$/, 'changes what Perl loads'],
  [/^(_?JAVA_(TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|JAVA_HOME)$/, 'changes what Java loads'],
  [/^(DOTNET|CORECLR|COR|COMPLUS)_/, 'changes what .NET loads'],
  [
    /^(PHPRC|PHP_INI_SCAN_DIR|LUA_(INIT|PATH|CPATH).*|TCLLIBPATH|R_PROFILE.*|JULIA_.*|GUILE_LOAD_.*)$/,
    'changes what its interpreter loads',
  ],
  [/^(GIT_.*|SSH_ASKPASS|EDITOR|VISUAL|PAGER|BROWSER)$/, 'names a program that may be run'],
  [/^(PATH|PATHEXT|COMSPEC|HOME|USERPROFILE|XDG_.*)$/, 'decides which programs and settings are found'],
  [
    /^((HTTPS?|ALL)_PROXY|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)$/,
    'decides whom its connections go to or trust',
  ],
];

/**
 * What a variable of this name can do beside what the command line says, such as `can load …`; null when nothing is
 * known.
 */
export function riskOfVariable(name: string): string | null {
  const upper = name.toUpperCase();
  return risks.find(([names]) => names.test(upper))?.[1] ?? null;
}
