/** Saves a file by the browser's download. In Electron a dialog asks for its place. */
export function saveFile(name: string, bytes: BlobPart): void {
  // The type is not the server's: no program opens it by that.
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = safeFileName(name);
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A name that every file system takes, and that leads to no other folder. */
export function safeFileName(name: string): string {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^[. ]+/, '')
    .slice(-100);
  return plain === '' ? 'resource' : plain;
}
