import type { ResourceLine } from './resources-state.ts';

/** A folder or a resource of the tree. */
export interface TreeNode {
  /** The URI up to here; a folder ends with a slash, or with the colon of its scheme. */
  readonly path: string;
  readonly label: string;
  readonly level: number;
  /** The resource; null for a folder. */
  readonly line: ResourceLine | null;
  /** Resources below a folder; 1 for a resource. */
  readonly count: number;
  readonly isOpen: boolean;
}

interface Folder {
  readonly path: string;
  readonly label: string;
  readonly folders: Map<string, Folder>;
  readonly leaves: { readonly label: string; readonly line: ResourceLine }[];
  count: number;
}

const newFolder = (path: string, label: string): Folder => ({
  path,
  label,
  folders: new Map(),
  leaves: [],
  count: 0,
});

/** The scheme with its slashes: authority and path are folders alike (RFC 3986 section 3). */
const root = /^[A-Za-z][A-Za-z0-9+.-]*:\/{0,3}/;

/**
 * The visible nodes of the tree of URIs, from top to bottom. A chain of folders without a choice is one node. Entries
 * without a URI are at the end.
 *
 * @param isOpen whether the folder with this path is open; undefined for its first state
 */
export function treeNodes(
  lines: readonly ResourceLine[],
  isOpen: (path: string) => boolean | undefined,
): TreeNode[] {
  const top = newFolder('', '');
  for (const line of lines) add(top, line);
  const opensAll = lines.length <= OPEN_AT_FIRST;
  const nodes: TreeNode[] = [];
  const list = (folder: Folder, level: number) => {
    for (const one of folder.folders.values()) {
      const chained = chainOf(one);
      const open = isOpen(chained.path) ?? (opensAll || (level === 0 && folder.folders.size === 1));
      const { path, label } = chained;
      nodes.push({ path, label, level, line: null, count: one.count, isOpen: open });
      if (open) list(chained.folder, level + 1);
    }
    for (const { label, line } of folder.leaves) {
      nodes.push({ path: line.key, label, level, line, count: 1, isOpen: false });
    }
  };
  list(top, 0);
  return nodes;
}

/** Up to this many resources, all folders are open at first. */
const OPEN_AT_FIRST = 60;

function add(top: Folder, line: ResourceLine): void {
  const uri = line.name ?? '';
  const start = root.exec(uri)?.[0] ?? '';
  if (start === '') {
    top.leaves.push({ label: line.title, line });
    return;
  }
  let folder = folderIn(top, start, start);
  folder.count++;
  const rest = uri.slice(start.length);
  // Slashes in a query or fragment do not separate folders.
  const path = /^[^?#]*/.exec(rest)?.[0] ?? '';
  const segments = path.split('/').slice(0, -1);
  let at = start;
  for (const segment of segments) {
    at += `${segment}/`;
    folder = folderIn(folder, at, `${segment}/`);
    folder.count++;
  }
  folder.leaves.push({ label: uri.slice(at.length) || '/', line });
}

function folderIn(parent: Folder, path: string, label: string): Folder {
  const known = parent.folders.get(label);
  if (known !== undefined) return known;
  const folder = newFolder(path, label);
  parent.folders.set(label, folder);
  return folder;
}

/** Joins a folder with the only thing in it, while that is a folder. */
function chainOf(first: Folder): { readonly path: string; readonly label: string; readonly folder: Folder } {
  let folder = first;
  let label = first.label;
  while (folder.leaves.length === 0 && folder.folders.size === 1) {
    const [only] = folder.folders.values();
    if (only === undefined) break;
    folder = only;
    label += only.label;
  }
  return { path: folder.path, label, folder };
}
