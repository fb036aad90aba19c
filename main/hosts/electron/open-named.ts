import { app, dialog } from 'electron';
import type { Engine, Named } from '#engine/platform.ts';
import { type Fault, faultOf } from '#shared/contract/fault.ts';
import { namedFile } from '../named.ts';

/** Opens what was named outside the page. Never rejects: what cannot be opened is said beside the window. */
export async function openNamed(engine: Engine, named: Named): Promise<void> {
  try {
    if (named.kind === 'file') await engine.openFile(named.path);
    else await engine.openNamed(named);
  } catch (error) {
    sayUnopened(faultOf('opened what was named', error));
  }
}

/** Files that the desktop asks to open (macOS), from before the app is ready on. */
export function onOpenFile(open: (named: Named) => void): void {
  app.on('open-file', (asked, path) => {
    asked.preventDefault();
    open(namedFile(path));
  });
}

function sayUnopened({ what, why, next, evidence }: Fault): void {
  console.error(`sightglass: ${what}`, evidence ?? '');
  const detail = [why, next, evidence].filter((text) => text !== undefined).join('\n\n');
  dialog
    .showMessageBox({ type: 'error', message: what, detail })
    .catch((error: unknown) => console.error('sightglass: cannot say so in a dialog:', error));
}
