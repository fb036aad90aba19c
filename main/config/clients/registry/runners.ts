/*
 * The programs that start a package of the registry, and where in their command lines a package belongs.
 */

export interface Runner {
  readonly command: string;
  /** The words of its own that come first, such as `run`. */
  readonly verbs: readonly string[];
  /** The options that Sightglass adds before the package, each with its other spellings. */
  readonly options: readonly (readonly string[])[];
  /** The options that it adds behind the package. */
  readonly optionsBehind: readonly (readonly string[])[];
  /** Whether an option has its value in the next word. */
  readonly takesValue: (word: string) => boolean;
  /** Whether an option never has a value. */
  readonly isSwitch: (word: string) => boolean;
  /** Whether the value of an option is a variable of the server. */
  readonly setsVariable: (word: string) => boolean;
  /** The options that name the package. The program in it follows. */
  readonly packageOptions: ReadonlySet<string>;
  /** The option for the base URL of the registry; null if it has none. */
  readonly indexOption: string | null;
  /** What stands between the package and its arguments. */
  readonly separator: string | null;
  /** What stands between a package and its version. */
  readonly versionSign: '@' | '==';
  /** Whether the program sees only the variables that are named to it. */
  readonly namesVariables: boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const plain = {
  verbs: [],
  options: [],
  optionsBehind: [],
  isSwitch: () => false,
  setsVariable: () => false,
  packageOptions: new Set<string>(),
  separator: null,
  versionSign: '@',
  namesVariables: false,
} as const;

/** A runner whose options with a value are listed. */
const listed = (command: string, valued: string, other: Partial<Runner> = {}): Runner => {
  const takeValue = words(valued);
  return { ...plain, command, indexOption: null, takesValue: (word) => takeValue.has(word), ...other };
};

/** A runner of containers: most of its options have a value, so those that have none are listed. */
const container = (command: string): Runner => ({
  ...plain,
  command,
  verbs: ['run'],
  options: [['-i', '--interactive'], ['--rm']],
  takesValue: (word) => !isContainerSwitch(word),
  isSwitch: isContainerSwitch,
  setsVariable: (word) => variableOptions.has(word),
  indexOption: null,
  namesVariables: true,
});

const containerSwitches = words(
  '--detach --disable-content-trust --init --interactive --no-healthcheck --oom-kill-disable --privileged --publish-all ' +
    '--quiet --read-only --rm --sig-proxy --tty --use-api-socket --no-hosts --replace --tls-verify',
);

const variableOptions = words('-e --env');

/** Short switches may be joined: `-it`. */
const isContainerSwitch = (word: string): boolean => containerSwitches.has(word) || /^-[itdPq]+$/.test(word);

const yes = words('-y --yes');
const uvValued =
  '--from --with -w --with-editable --with-requirements --python -p --index --index-url -i --default-index --extra-index-url ' +
  '--find-links -f --constraints -c --overrides --cache-dir --directory --project --env-file --refresh-package ' +
  '--upgrade-package -P --exclude-newer --prerelease --resolution --index-strategy --keyring-provider --link-mode ' +
  '--allow-insecure-host --config-setting -C --no-build-package --no-binary-package --python-platform --color --config-file';
const uv: Partial<Runner> = { packageOptions: words('--from'), indexOption: '--default-index' };
const npmValued =
  '--package -p --registry --call -c --workspace -w --userconfig --prefix --cache --node-options --loglevel --script-shell';
const npm: Partial<Runner> = {
  options: [['-y', '--yes']],
  isSwitch: (word) => yes.has(word),
  packageOptions: words('--package -p'),
  indexOption: '--registry',
};
const dotnetValued =
  '--source --add-source --configfile --framework --arch -a --verbosity -v --version --tool-path --tool-manifest';
const dotnet: Partial<Runner> = {
  optionsBehind: [['--yes', '-y']],
  isSwitch: (word) => yes.has(word),
  indexOption: '--source',
  separator: '--',
};

/** How packages of one type are run. */
export interface PackageKind {
  /** The first is the usual one. */
  readonly runners: readonly [Runner, ...Runner[]];
  /** The package as an argument. */
  readonly reference: (identifier: string, version: string | null, sign: string) => string;
  /** The package that an argument names, to compare; null if it cannot be one. */
  readonly nameIn: (word: string) => string | null;
  /** Whether an argument that names a package has its version. */
  readonly hasVersion: (word: string) => boolean;
  /** The base URLs that every runner uses by itself. */
  readonly usualBases: readonly string[];
  /** The URL to give to the option for it. */
  readonly indexUrl: (baseUrl: string) => string;
}

const asWritten = (url: string): string => url;

/** The part of a word before a version: `@a/b@1` is `@a/b`. */
const beforeVersion = (word: string): string => /^@?[^@]+/.exec(word)?.[0] ?? word;

const withVersion = (identifier: string, version: string | null, sign: string): string =>
  version === null || beforeVersion(identifier) !== identifier
    ? identifier
    : `${identifier}${sign}${version}`;

/** PEP 503, section "Normalized Names"; without extras and version. */
const pythonName = (word: string): string =>
  (/^[\w.-]+/.exec(word)?.[0] ?? word).replaceAll(/[._-]+/g, '-').toLowerCase();

export const packageKinds: Readonly<Record<string, PackageKind>> = {
  npm: {
    runners: [
      listed('npx', npmValued, npm),
      listed('bunx', '--package -p', { packageOptions: words('--package -p') }),
      listed('pnpx', '--package --registry', {
        packageOptions: words('--package'),
        indexOption: '--registry',
      }),
    ],
    reference: withVersion,
    nameIn: beforeVersion,
    hasVersion: (word) => beforeVersion(word) !== word,
    usualBases: ['https://registry.npmjs.org'],
    indexUrl: asWritten,
  },
  pypi: {
    runners: [
      listed('uvx', uvValued, uv),
      listed('uv', uvValued, { ...uv, verbs: ['tool', 'run'] }),
      listed('pipx', '--spec --python --index-url -i --pip-args --with', {
        verbs: ['run'],
        packageOptions: words('--spec'),
        indexOption: '--index-url',
        versionSign: '==',
      }),
    ],
    reference: (identifier, version, sign) =>
      identifier.includes('=') ? identifier : withVersion(identifier, version, sign),
    nameIn: pythonName,
    // Extras count as well: the entry does not have them.
    hasVersion: (word) => /[=@[<>~]/.test(word),
    usualBases: ['https://pypi.org', 'https://pypi.org/simple'],
    // What the registry calls a base is the site, and packages are found below it (PEP 503).
    indexUrl: (url) => (new URL(url).pathname === '/' ? new URL('/simple', url).href : url),
  },
  nuget: {
    runners: [
      listed('dnx', dotnetValued, dotnet),
      listed('dotnet', dotnetValued, { ...dotnet, verbs: ['tool', 'exec'] }),
    ],
    reference: withVersion,
    nameIn: (word) => beforeVersion(word).toLowerCase(),
    hasVersion: (word) => beforeVersion(word) !== word,
    usualBases: ['https://api.nuget.org', 'https://api.nuget.org/v3/index.json', 'https://www.nuget.org'],
    indexUrl: asWritten,
  },
  oci: {
    runners: [container('docker'), container('podman')],
    reference: imageReference,
    nameIn: imageName,
    hasVersion: (word) => /[:@]/.test(lastPart(word)),
    usualBases: [
      'https://docker.io',
      'https://index.docker.io',
      'https://registry-1.docker.io',
      'https://hub.docker.com',
    ],
    indexUrl: asWritten,
  },
  go: {
    runners: [listed('go', '-C -mod -modfile -tags -ldflags -exec', { verbs: ['run'] })],
    // Outside of a module, Go needs a version.
    reference: (identifier, version) =>
      identifier.includes('@') ? identifier : `${identifier}@${version ?? 'latest'}`,
    nameIn: beforeVersion,
    hasVersion: (word) => beforeVersion(word) !== word,
    usualBases: ['https://proxy.golang.org'],
    indexUrl: asWritten,
  },
};

const lastPart = (image: string): string => image.slice(image.lastIndexOf('/') + 1);

/** An image with its tag or digest. Those in the identifier count (schemas from 2025-10-11 have them there). */
function imageReference(identifier: string, version: string | null): string {
  if (version === null || /[:@]/.test(lastPart(identifier))) return identifier;
  const digest = version.replace(/^@/, '');
  return /^sha\d+:/.test(digest) ? `${identifier}@${digest}` : `${identifier}:${version}`;
}

/** Whether an image names the host of its registry. */
export function hasHost(image: string): boolean {
  const end = image.indexOf('/');
  return end > 0 && /[.:]|^localhost$/.test(image.slice(0, end));
}

/** The image of a reference without its host, tag and digest. */
function imageName(word: string): string | null {
  if (/[\s=]/.test(word)) return null;
  const [path = ''] = word.split('@');
  const rest = hasHost(path) ? path.slice(path.indexOf('/') + 1) : path;
  const name = rest.replace(/^library\//, '');
  return name.replace(/:[^/:]*$/, '').toLowerCase();
}
