// Packs the built app and an Electron that is on this machine already, without network: a folder that runs by itself, and
// an archive of it. With --installers it makes the formats of electron-builder.yml instead, whose tools are downloaded.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Configuration } from 'electron-builder';
import { z } from 'zod';
import { findElectron } from './electron-binary.ts';
import { projectRoot } from './step.ts';

/** "Try again later" of sysexits: nothing is wrong with the app, but there is no Electron to pack. */
const EX_TEMPFAIL = 75;

const { values } = parseArgs({ options: { installers: { type: 'boolean', default: false } } });

const electronDist = resolve(
  process.env.ELECTRON_OVERRIDE_DIST_PATH ?? join(projectRoot, 'node_modules/electron/dist'),
);
const output = resolve(projectRoot, process.env.SIGHTGLASS_PACKAGE_OUT ?? 'release');

const common: Configuration = { extends: 'electron-builder.yml', directories: { output } };

if (values.installers) {
  await buildInstallers();
} else if (findElectron() === null) {
  console.error(
    `Nothing was packaged: there is no Electron in ${electronDist}.\n` +
      '"npx install-electron" downloads it; ELECTRON_OVERRIDE_DIST_PATH names a folder that has it unpacked.',
  );
  process.exitCode = EX_TEMPFAIL;
} else {
  await packUnpacked();
}

async function packUnpacked(): Promise<void> {
  const { build, Platform } = await import('electron-builder');
  let builtFolder = '';
  await build({
    projectDir: projectRoot,
    targets: Platform.current().createTarget('dir'),
    publish: 'never',
    config: {
      ...common,
      electronDist,
      electronVersion: readFileSync(join(electronDist, 'version'), 'utf8').trim().replace(/^v/, ''),
      // Electron's own app for development; ours takes its place.
      afterExtract: ({ appOutDir }) =>
        rm(join(appOutDir, 'resources', 'default_app.asar'), { recursive: true, force: true }),
      afterPack: ({ appOutDir }) => {
        builtFolder = appOutDir;
        return Promise.resolve();
      },
    },
  });
  const name = `sightglass-${version()}-${process.platform}-${process.arch}`;
  const folder = join(output, name);
  await rm(folder, { recursive: true, force: true });
  await rename(builtFolder, folder);
  // Every system has tar; the archiver of electron-builder would be downloaded.
  await promisify(execFile)('tar', ['-czf', `${name}.tar.gz`, name], { cwd: output });
  console.log(`${folder}\n${folder}.tar.gz`);
}

async function buildInstallers(): Promise<void> {
  const { build } = await import('electron-builder');
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_REPOSITORY_OWNER: owner } = process.env;
  await build({
    projectDir: projectRoot,
    publish: 'never',
    config: {
      ...common,
      // A deb needs both.
      ...(GITHUB_REPOSITORY !== undefined &&
        owner !== undefined && {
          extraMetadata: {
            homepage: `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`,
            author: { name: 'The Sightglass team', email: `${owner}@users.noreply.github.com` },
          },
        }),
    },
  });
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}
