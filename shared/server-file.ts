/** Programs that run a server's file, by the suffix of its name. The file follows as the last word. */
const runners: Readonly<Record<string, readonly string[]>> = {
  '.py': ['python3'],
  '.js': ['node'],
  '.mjs': ['node'],
  '.cjs': ['node'],
  '.ts': ['node'],
  '.mts': ['node'],
  '.jar': ['java', '-jar'],
  '.csproj': ['dotnet', 'run', '--project'],
  '.fsproj': ['dotnet', 'run', '--project'],
  '.dll': ['dotnet'],
  '.rb': ['ruby'],
  '.php': ['php'],
  '.go': ['go', 'run'],
};

interface FileCommand {
  /** The program, its options and the file. */
  readonly words: readonly string[];
  /** The folder of the file; null if the path is relative. */
  readonly cwd: string | null;
}

/**
 * The command that runs a server's file, by its suffix (MCP quickstart, running a client). Null for a name of another kind,
 * such as an executable.
 */
export function commandOfFile(path: string, { isWindows = false } = {}): FileCommand | null {
  const runner = runners[/\.[^./\\]+$/.exec(path)?.[0].toLowerCase() ?? ''];
  if (runner === undefined) return null;
  const [program = '', ...options] = runner;
  // Python's installer for Windows has no python3.
  const command = isWindows && program === 'python3' ? 'python' : program;
  const folder = (isWindows ? /^(?:[a-z]:|\\\\).*(?=[\\/])/is : /^\/.*(?=\/)/s).exec(path)?.[0];
  const isAbsolute = folder !== undefined || path.startsWith('/');
  return { words: [command, ...options, path], cwd: isAbsolute ? folder || '/' : null };
}
