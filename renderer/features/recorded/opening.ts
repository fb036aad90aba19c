import { create } from 'zustand';
import { faultOf } from '#model/connection.ts';
import { chooseTraces, isOnDesktop, pathOfFile } from '#model/desktop.ts';
import { openTrace } from '#model/traces.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { receiveFile } from './receive-file.ts';
import { fileNameOf } from './words.ts';

/** A file that is on its way in. */
export interface Incoming {
  readonly id: number;
  readonly name: string;
  /** 0 to 1. */
  readonly share: number;
}

/** A file that could not be opened. */
export interface Refusal {
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
