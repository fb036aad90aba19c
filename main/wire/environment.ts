/** Variables every program needs and none of which is a secret (MCP debugging guide, environment variables). */
const safeNames: Readonly<Record<'posix' | 'win32', readonly string[]>> = {
  posix: ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  win32: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ],
};

/**
 * The environment of a server's process: what it inherits, and over it what the user set.
 *
 * @param inherit `safe` hands on only what every program needs, `all` everything this app has.
 */
export function serverEnvironment(
  inherit: 'safe' | 'all',
  set: Readonly<Record<string, string>>,
  own: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  // Windows knows names without their case, and of two that differ in nothing else takes whichever.
  const known = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const safe = safeNames[platform === 'win32' ? 'win32' : 'posix'];
  const isSet = new Set(Object.keys(set).map(known));
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || isSet.has(known(name))) continue;
    const isSafe = safe.includes(known(name));
    // A value that begins like this is a shell function exported by bash, which would be run.
    if (inherit === 'all' || (isSafe && !value.startsWith('()'))) environment[name] = value;
  }
  return { ...environment, ...set };
}
