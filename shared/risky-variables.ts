/**
 * Variables by which a program can be made to load or run something else than its command line names, by what they do.
 * A name is compared without its case, as Windows and npm do.
 */
const risks: readonly (readonly [names: RegExp, does: string])[] = [
  [/^(LD|DYLD|_RLD)_|^(LIBPATH|SHLIB_PATH)$/, 'can load other code into every program that is started'],
  [
    /^(GCONV_PATH|GETCONF_DIR|GLIBC_TUNABLES|LOCPATH|NLSPATH|MALLOC_TRACE)$/,
    'changes what the C library loads',
  ],
  [
    /^(OPENSSL_(CONF|CONF_INCLUDE|MODULES|ENGINES)|CTLOG_FILE|P11_KIT_.*|PKCS11_.*|SASL_(PATH|CONF_PATH)|GNUTLS_SYSTEM_PRIORITY_FILE)$/,
    'changes what the libraries for encryption load or trust',
  ],
  [
    /^(NODE_(OPTIONS|PATH|REPL_EXTERNAL_MODULE|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|COMPILE_CACHE|ICU_DATA|V8_COVERAGE|USE_.*)|TS_NODE_.*|TSX_.*)$/,
    'changes what Node.js loads or trusts',
  ],
  [/^ELECTRON_/, 'changes what Electron runs'],
  [
    /^(CHROME_(BIN|PATH|DEVEL_SANDBOX|WRAPPER)|CHROMIUM_(BIN|FLAGS|USER_FLAGS)|PUPPETEER_.*|PLAYWRIGHT_.*|SELENIUM_.*|MOZ_.*)$/,
    'changes which browser is run, or what it loads',
  ],
  [
    /^(NPM_CONFIG|YARN|PNPM|BUN|DENO|COREPACK|VOLTA|NVM|FNM|N|ASDF|MISE|NIX|HOMEBREW|PUB)_/,
    'changes what the package runner fetches or runs',
  ],
  [/^(PYTHON|(PIP|PIPX|UV|POETRY|PDM|HATCH|CONDA|MAMBA|VIRTUAL_ENV)(_|$))/, 'changes what Python loads'],
  [
    /^(BASH_ENV|BASH_LOADABLES_PATH|ENV|ZDOTDIR|SHELL|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS[0-4]|IFS|CDPATH|FPATH|INPUTRC|BASH_FUNC_.*)$/,
    'makes shells run or read something else first',
  ],
  [/^PSMODULEPATH$/, 'changes what PowerShell loads'],
  [
    /^(RUBYOPT|RUBYLIB|RUBYSHELL|RUBYPATH|GEM_(HOME|PATH|SPEC_CACHE)|BUNDLE_.*|RBENV_.*)$/,
    'changes what Ruby loads',
  ],
  [/^PERL(5.*|LIB|_.*|IO.*)?$/, 'changes what Perl loads'],
  [
    /^(_?JAVA_(TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|(JAVA|JDK|JRE)_HOME|(JAVA|JVM|MAVEN|MVN|GRADLE|SBT|ANT|CATALINA|LEIN|LEIN_JVM|SCALA|KOTLIN|GROOVY|CLOJURE)_(OPTS|ARGS)|GRADLE_USER_HOME|JBANG_.*)$/,
    'changes what Java loads',
  ],
  [/^((DOTNET|CORECLR|COR|COMPLUS|NUGET|MONO)_|MSBUILD)/, 'changes what .NET loads'],
  [
    /^(GO(FLAGS|PROXY|NOPROXY|PRIVATE|INSECURE|SUMDB|NOSUMDB|NOSUMCHECK|PATH|ROOT|BIN|ENV|TOOLCHAIN|TOOLDIR|CACHE|CACHEPROG|MODCACHE|WORK|VCS|AUTH|DEBUG|EXPERIMENT|TMPDIR)|CGO_.*)$/,
    'changes what Go fetches, builds or runs',
  ],
  [
    /^(RUSTC|RUSTDOC|RUSTFMT|RUSTC_.*|RUSTDOC_?FLAGS|RUSTFLAGS|CARGO|CARGO_.*|RUSTUP_.*)$/,
    'changes what Rust fetches, builds or runs',
  ],
  [
    /^(CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|(C|CC|CPP|CXX|LD|AS|ASM|AR|F|FC|D|L|Y|OBJC|OBJCXX|SWIFT|NVCC|CUDA|HIP|MAKE|GNUMAKE|M)FLAGS|CPATH|C(PLUS)?_INCLUDE_PATH|CPLUS_INCLUDE_PATH|OBJC_INCLUDE_PATH|LIBRARY_PATH|COMPILER_PATH|GCC_EXEC_PREFIX|MAKE|MAKEFILES|CMAKE_.*|PKG_CONFIG(_.*)?|S?CCACHE_.*|DISTCC_.*|NINJAFLAGS)$/,
    'changes what is compiled, or by which program',
  ],
  [
    /^(PHPRC|PHP_INI_SCAN_DIR|COMPOSER(_.*)?|LUA_(INIT|PATH|CPATH).*|LUA_.*_5_\d|TCLLIBPATH|TCL_LIBRARY|R_(PROFILE|ENVIRON|LIBS|HOME|DEFAULT_PACKAGES).*|JULIA_.*|GUILE_.*|ERL_(LIBS|A?FLAGS|ZFLAGS)|ELIXIR_ERL_OPTIONS|MIX_.*|GHCRTS|GHC_(PACKAGE_PATH|ENVIRONMENT)|OCAML(PATH|LIB|RUNPARAM|FIND_CONF)|CAML_LD_LIBRARY_PATH|AWK(LIB)?PATH|EMACSLOADPATH|EMACSPATH|VIMINIT|EXINIT|VIMRUNTIME|MYVIMRC|OCTAVE_.*|SWIPL.*|WASMTIME_.*)$/,
    'changes what its interpreter loads',
  ],
  [
    /^(GTK\d?_(MODULES|PATH|EXE_PREFIX|IM_MODULE_FILE)|GIO_(MODULE_DIR|EXTRA_MODULES|LAUNCH_DESKTOP)|GDK_PIXBUF_MODULE_?(FILE|DIR)|GST_(PLUGIN|REGISTRY).*|QT_(PLUGIN_PATH|QPA_.*)|QML2?_IMPORT_PATH|VK_.*|LIBGL_DRIVERS_PATH|GBM_BACKENDS_PATH|LIBVA_DRIVERS_PATH|OCL_ICD_.*|ALSA_CONFIG.*|LADSPA_PATH|MAGICK_.*|GS_(LIB|OPTIONS)|GDAL_DRIVER_PATH|HDF5_PLUGIN_PATH|ODBC(SYS)?INI|ODBCINSTINI)$/,
    'changes which plug-ins libraries load',
  ],
  [
    /^(GIT_.*|(SSH|SUDO|GIT)_ASKPASS|SUDO_EDITOR|([A-Z_]*_)?(EDITOR|PAGER|BROWSER|RSH)|VISUAL|MANPAGER|MANOPT|LESS|LESSOPEN|LESSCLOSE|LESSKEY.*|HG.*|SVN_SSH|TAR_OPTIONS|RSYNC_.*|PSQLRC|PGSERVICEFILE|PGSYSCONFDIR|TERMINAL|FCEDIT|FZF_.*|RIPGREP_CONFIG_PATH|ACKRC|WGETRC|CURL_HOME|PINENTRY.*|GNUPGHOME)$/,
    'names a program that may be run, or options of one',
  ],
  [
    /^(DOCKER_(HOST|CONTEXT|CONFIG|CERT_PATH|TLS.*|API_VERSION|BUILDKIT|DEFAULT_PLATFORM|CLI_.*)|CONTAINERD?_(HOST|ADDRESS)|BUILDKIT_HOST|PODMAN_.*|KUBECONFIG|KUBE_.*|HELM_.*|AWS_(CONFIG_FILE|SHARED_CREDENTIALS_FILE|CA_BUNDLE|ENDPOINT_URL.*)|CLOUDSDK_.*|AZURE_CONFIG_DIR|ANSIBLE_.*|TF_(CLI|PLUGIN|DATA|LOG)_?.*|VAGRANT_.*|DBUS_.*_ADDRESS|VIRSH_.*|LIBVIRT_.*)$/,
    'decides which machine, containers or cloud it works on, or what it runs to get there',
  ],
  [
    /^(PATH|PATHEXT|COMSPEC|HOME|USERPROFILE|HOMEDRIVE|HOMEPATH|(LOCAL)?APPDATA|PROGRAM(DATA|FILES.*)|SYSTEMROOT|WINDIR|XDG_.*|__COMPAT_LAYER)$/,
    'decides which programs and settings are found',
  ],
  [
    /^((HTTPS?|ALL|FTP|NO|SOCKS)_PROXY|SSL_CERT_(FILE|DIR)|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|NETRC|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|RESOLV_.*|KRB5_.*|SSH_AUTH_SOCK)$/,
    'decides whom its connections go to or trust',
  ],
  [
    /^(NAPI_RS_(NATIVE_LIBRARY_PATH|FORCE_WASI)|PRISMA_.*|[A-Z0-9_]+_BINARY(_PATH|_HOST(_MIRROR)?)?|CYPRESS_RUN_BINARY|DART_VM_OPTIONS|ZIG_(LIB_DIR|LIBC)|WINE.+)$/,
    'names a binary or library that is run or loaded in place of the usual one',
  ],
  [
    /^((PYENV|JENV|GOENV|SDKMAN|RVM|JUPYTER|NUMBA)_.*|RVM|IPYTHONDIR|COVERAGE_PROCESS_(START|CONFIG)|MATPLOTLIBRC|DJANGO_SETTINGS_MODULE|FLASK_APP|CELERY_CONFIG_MODULE|GUNICORN_CMD_ARGS)$/,
    'changes which interpreter is run, or what it loads',
  ],
  [
    /^(SDL\d?_DYNAMIC_API|CUDA_INJECTION(32|64)_PATH|NVTX_INJECTION(32|64)_PATH|OMP_TOOL_LIBRARIES|__(EGL|GLX)_VENDOR_LIBRARY_.*|VDPAU_DRIVER_PATH|LIBMYSQL_PLUGIN(_DIR|S)|TNS_ADMIN|ORACLE_HOME|GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES)$/,
    'changes which plug-ins or programs libraries load',
  ],
  [/^(SSLKEYLOGFILE|NODE_DEBUG(_NATIVE)?)$/, 'writes down what its connections carry'],
];

/**
 * What a variable of this name can do beside what the command line says, such as `can load …`; null when nothing is
 * known.
 */
export function riskOfVariable(name: string): string | null {
  const upper = name.toUpperCase();
  return risks.find(([names]) => names.test(upper))?.[1] ?? null;
}
