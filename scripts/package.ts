// Packs the built app and an Electron that is on this machine already into a folder that runs by itself.
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, Platform } from 'electron-builder';
import { findElectron } from './electron-binary.ts';
import { projectRoot } from './step.ts';

/** "Try again later" of sysexits: nothing is wrong with the app, but there is no Electron to pack. */
const EX_TEMPFAIL = 75;

const electronDist = resolve(
  process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(projectRoot, 'node_modules/electron/dist'),
);

if (findElectron() === null) {
  console.error(`No Electron in ${electronDist}: "npx install-electron" fetches it, then package again.`);
  process.exitCode = EX_TEMPFAIL;
} else {
  await build({
    projectDir: projectRoot,
    targets: Platform.current().createTarget('dir'),
    publish: 'never',
    config: {
      extends: 'electron-builder.yml',
      electronDist,
      // Electron's own app for development; ours takes its place.
      afterExtract: ({ appOutDir }) =>
        rm(join(appOutDir, 'resources', 'default_app.asar'), { recursive: true, force: true }),
      electronVersion: readFileSync(join(electronDist, 'version'), 'utf8').trim().replace(/^v/, ''),
      directories: { output: resolve(projectRoot, process.env.SIGHTGLASS_PACKAGE_OUT ?? 'release') },
    },
  });
}
