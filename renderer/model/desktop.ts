import { z } from 'zod';
import type { DesktopBridge } from '#shared/contract/preload-bridge.ts';

const bridge = (): DesktopBridge | null => window.sightglass?.desktop ?? null;

/** Whether the page runs in a desktop window, with access to system dialogs and the file manager. */
export const isOnDesktop = (): boolean => bridge() !== null;

/** The path of a dropped file; null if the page cannot know it. */
export const pathOfFile = (file: File): string | null => bridge()?.pathOf(file) || null;

/** Asks the user for trace files; none if the dialog is cancelled. */
export async function chooseTraces(): Promise<readonly string[]> {
  return z.array(z.string()).parse((await bridge()?.chooseTraces()) ?? []);
}

/** Asks the user for folders; returns their file URIs, none if the dialog is cancelled. */
export async function chooseFolders(): Promise<readonly string[]> {
  return z.array(z.string()).parse((await bridge()?.chooseFolders()) ?? []);
}

/** Shows a file in the system's file manager. */
export async function showInFolder(path: string): Promise<void> {
  await bridge()?.showInFolder(path);
}
