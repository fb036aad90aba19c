import { create } from 'zustand';
import { call } from '#bridge';
import { faultOf } from '#model/faults.ts';
import { chooseTraces, isOnDesktop, pathOfFile } from '#model/desktop.ts';
import { openTrace } from '#model/traces.ts';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import { MAX_RECEIVED_BYTES } from '#shared/contract/traces.ts';
import { fileNameOf } from './entries.ts';

/** A dropped file that is being uploaded to the engine. */
interface Upload {
  readonly id: number;
  readonly name: string;
  /** 0 to 1. */
  readonly share: number;
}

/** Why a file could not be opened. */
interface OpeningFault {
  readonly id: number;
  readonly name: string;
  readonly fault: Fault;
}

interface Opening {
  /** Whether the form for a path is open. */
  readonly isAsking: boolean;
  readonly uploads: readonly Upload[];
  /** Newest first. */
  readonly faults: readonly OpeningFault[];
}

const none: Opening = { isAsking: false, uploads: [], faults: [] };

/** What is being opened, and what could not be opened. */
export const useOpening = create<Opening>()(() => none);

let lastId = 0;

/** Asks the user which trace to open: in the system's dialog, or by path in a browser. Never rejects. */
export async function askForTrace(): Promise<void> {
  if (!isOnDesktop()) {
    useOpening.setState({ isAsking: true });
    return;
  }
  try {
    await openPaths(await chooseTraces());
  } catch (error) {
    addFault('Open trace', faultOf(error));
  }
}

/** Closes the form, and clears the faults. */
export const endOpening = (): void => useOpening.setState({ isAsking: false, faults: [] });

/** Opens a trace file; false on failure, whose fault is in `useOpening`. Never rejects. */
export async function openPath(path: string, name = fileNameOf(path)): Promise<boolean> {
  try {
    await openTrace(path);
    return true;
  } catch (error) {
    addFault(name, faultOf(error));
    return false;
  }
}

async function openPaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) await openPath(path);
}

/** Opens dropped files: by path, or after uploading them. Never rejects. */
export async function openFiles(files: readonly File[]): Promise<void> {
  useOpening.setState({ faults: [] });
  for (const file of files) {
    const path = pathOfFile(file) ?? (await upload(file));
    if (path !== null) await openPath(path, file.name);
  }
}

/** Uploads a file to the engine; returns its path, or null on failure. */
async function upload(file: File): Promise<string | null> {
  const id = ++lastId;
  const progress = (share: number) => ({ id, name: file.name, share });
  useOpening.setState((now) => ({ uploads: [...now.uploads, progress(0)] }));
  try {
    return await sendFile(file, (share) =>
      useOpening.setState((now) => ({
        uploads: now.uploads.map((one) => (one.id === id ? progress(share) : one)),
      })),
    );
  } catch (error) {
    addFault(file.name, faultOf(error));
    return null;
  } finally {
    useOpening.setState((now) => ({ uploads: now.uploads.filter((one) => one.id !== id) }));
  }
}

const addFault = (name: string, fault: Fault): void =>
  useOpening.setState(({ faults }) => ({ faults: [{ id: ++lastId, name, fault }, ...faults] }));

/**
 * Sends a file to the engine in pieces; returns the path it was saved at.
 *
 * @param onProgress receives the share sent so far, 0 to 1
 */
export async function sendFile(file: File, onProgress: (share: number) => void): Promise<string> {
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
      what: 'The browser cannot read the file.',
      why: messageOf(error),
      next: 'It may be a folder, or it was changed or moved after the drop. Drop it again, or open it by its path.',
      evidence: file.name,
    });
  }
}

/** Bytes per `String.fromCharCode` call, which is limited by its number of arguments. */
const CHUNK = 8192;

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  for (let from = 0; from < bytes.length; from += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(from, from + CHUNK));
  }
  return btoa(binary);
}

const notKept = (name: string) => ({
  code: 'file-not-kept',
  what: 'The file was uploaded, but the engine did not say where it was saved.',
  next: 'Open it by its path.',
  evidence: name,
});
