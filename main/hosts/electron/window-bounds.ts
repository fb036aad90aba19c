import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserWindow, type Rectangle, screen } from 'electron';
import { z } from 'zod';
import { writeFileAtomically } from '#config/atomic-file.ts';

const boundsSchema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(200),
  height: z.number().int().min(200),
  isMaximized: z.boolean(),
});
type SavedBounds = z.infer<typeof boundsSchema>;

/** Where a window goes; without a place the window manager decides. */
export interface WindowPlace {
  readonly bounds: Partial<Rectangle> & { readonly width: number; readonly height: number };
  readonly isMaximized: boolean;
}

const FIRST_PLACE: WindowPlace = { bounds: { width: 1440, height: 900 }, isMaximized: false };

const fileIn = (dataFolder: string): string => join(dataFolder, 'window.json');

/** Where the window was when it was last closed, unless that screen is gone. */
export function lastPlace(dataFolder: string): WindowPlace {
  const saved = readBounds(dataFolder);
  if (saved === null) return FIRST_PLACE;
  const { isMaximized, ...bounds } = saved;
  const { width, height } = bounds;
  return { bounds: isOnScreen(bounds) ? bounds : { width, height }, isMaximized };
}

/** Saves the window's place when it closes. The returned function does so at once, and waits until it is done. */
export function rememberPlace(window: BrowserWindow, dataFolder: string): () => Promise<void> {
  let saved: Promise<void> = Promise.resolve();
  const save = () => {
    const place: SavedBounds = { ...window.getNormalBounds(), isMaximized: window.isMaximized() };
    saved = writeFileAtomically(fileIn(dataFolder), `${JSON.stringify(place)}\n`).catch((error: unknown) => {
      console.error('sightglass: the window’s place could not be saved:', error);
    });
  };
  window.on('close', save);
  return () => {
    if (!window.isDestroyed()) save();
    return saved;
  };
}

// A file that is missing or damaged costs the user a moved window, no more.
function readBounds(dataFolder: string): SavedBounds | null {
  try {
    return boundsSchema.parse(JSON.parse(readFileSync(fileIn(dataFolder), 'utf8')));
  } catch {
    return null;
  }
}

/** Whether enough of the title bar is on a screen to be taken hold of. */
function isOnScreen({ x, y, width }: Rectangle): boolean {
  return screen.getAllDisplays().some(({ workArea }) => {
    const overlap = Math.min(x + width, workArea.x + workArea.width) - Math.max(x, workArea.x);
    return overlap >= 100 && y >= workArea.y && y < workArea.y + workArea.height - 40;
  });
}
