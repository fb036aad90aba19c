import { create } from 'zustand';
import { call } from '#bridge';
import { faultOf } from '#model/connection.ts';
import { chooseTraces, isOnDesktop, pathOfFile } from '#model/desktop.ts';
import { openTrace } from '#model/traces.ts';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import { MAX_RECEIVED_BYTES } from '#shared/contract/traces.ts';
import { fileNameOf } from './entries.ts';

/** A file that is on its way in. */
interface Incoming {
  readonly id: number;
  readonly name: string;
  /** 0 to 1. */
  readonly share: number;
}

/** A file that could not be opened. */
interface Refusal {
  readonly id: number;
  readonly name: string;
  readonly fault: Fault;
}

interface Opening {
  /** The user is asked for a path. */
  readonly isAsking: boolean;
  readonly incoming: readonly Incoming[];
  /** The newest first. */
  readonly refusals: readonly Refusal[];
}

const none: Opening = { isAsking: false, incoming: [], refusals: [] };

/** What is being opened, and what could not be. */
export const useOpening = create<Opening>()(() => none);

let lastId = 0;

/** Asks the user which trace to open: in the system's dialog, or for its path where there is none. Never rejects. */
export async function askForTrace(): Promise<void> {
  if (!isOnDesktop()) {
    useOpening.setState({ isAsking: true });
    return;
  }
  try {
    await openPaths(await chooseTraces());
  } catch (error) {
    refuse('Open trace', faultOf(error));
  }
}

/** Forgets what could not be opened, and asks no more. */
export const endOpening = (): void => useOpening.setState({ isAsking: false, refusals: [] });

/** Opens a trace file. Never rejects: why it cannot be opened is kept; true when it is open. */
export async function openPath(path: string, name = fileNameOf(path)): Promise<boolean> {
  try {
    await openTrace(path);
    return true;
  } catch (error) {
    refuse(name, faultOf(error));
    return false;
  }
}

async function openPaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) await openPath(path);
}

/** Opens files that were dropped: by their paths, or after their bytes were taken in. Never rejects. */
export async function openFiles(files: readonly File[]): Promise<void> {
  useOpening.setState({ refusals: [] });
  for (const file of files) {
    const path = pathOfFile(file) ?? (await takeIn(file));
    if (path !== null) await openPath(path, file.name);
  }
}

/** Has the engine keep the bytes of a file; returns where, or null when that failed. */
async function takeIn(file: File): Promise<string | null> {
  const id = ++lastId;
  const incoming = (share: number) => ({ id, name: file.name, share });
  useOpening.setState((now) => ({ incoming: [...now.incoming, incoming(0)] }));
  try {
    return await receiveFile(file, (share) =>
      useOpening.setState((now) => ({
        incoming: now.incoming.map((one) => (one.id === id ? incoming(share) : one)),
      })),
    );
  } catch (error) {
    refuse(file.name, faultOf(error));
    return null;
  } finally {
    useOpening.setState((now) => ({ incoming: now.incoming.filter((one) => one.id !== id) }));
  }
}

const refuse = (name: string, fault: Fault): void =>
  useOpening.setState(({ refusals }) => ({ refusals: [{ id: ++lastId, name, fault }, ...refusals] }));

/**
 * Hands the bytes of a file to the engine, piece by piece; returns the path it was kept at.
 *
 * @param onProgress told the share that has arrived, 0 to 1
 */
export async function receiveFile(file: File, onProgress: (share: number) => void): Promise<string> {
  let transferId: string | null = null;
  for (let from = 0; ; from += MAX_RECEIVED_BYTES) {
    const to = Math.min(from + MAX_RECEIVED_BYTES, file.size);
    const base64: string = await readPiece(file, from, to);
    const isLast = to >= file.size;
    const answer: { transferId: string; path: string | null } = await call('traces/receive', {
      transferId,
      name: file.name,
      base64,
      isLast,
    });
    if (answer.path !== null) return answer.path;
    if (isLast) throw new FaultError(notKept(file.name));
    transferId = answer.transferId;
    onProgress(to / file.size);
  }
}

async function readPiece(file: File, from: number, to: number): Promise<string> {
  try {
    return base64Of(new Uint8Array(await file.slice(from, to).arrayBuffer()));
  } catch (error) {
    throw new FaultError({
      code: 'file-not-read',
      what: 'The file cannot be read by the browser.',
      why: messageOf(error),
      next: 'It may be a folder, or have been changed or moved since it was dropped. Drop it again, or open it by its path.',
      evidence: file.name,
    });
  }
}

/** Bytes that one call turns into characters: a call takes only so many arguments. */
const AT_ONCE = 8192;

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(from, from + AT_ONCE));
  }
  return btoa(binary);
}

const notKept = (name: string) => ({
  code: 'file-not-kept',
  what: 'The file was received, but not where it was kept.',
  next: 'Open it by its path.',
  evidence: name,
});
