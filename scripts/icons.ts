// Draws the icons of the packaged app from build/icon.svg, in the browser of this machine: run it after a change of the drawing.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findOrInstallBrowser } from './browser.ts';
import { projectRoot } from './step.ts';

const folder = join(projectRoot, 'build');

/** Of the hicolor theme (freedesktop.org Icon Theme Specification), and 1024 for macOS. */
const sizes = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
/** Windows shows no larger one. */
const icoSizes = [16, 24, 32, 48, 64, 128, 256];
/** The types of an icns file that contain PNG, by the size in pixels; `@2x` types share theirs with the next one. */
const icnsTypes: readonly (readonly [type: string, size: number])[] = [
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic13', 256],
  ['ic08', 256],
  ['ic14', 512],
  ['ic09', 512],
  ['ic10', 1024],
];

const pngs = await drawAll(await readFile(join(folder, 'icon.svg'), 'utf8'));
await mkdir(join(folder, 'icons'), { recursive: true });
for (const [size, png] of pngs) {
  if (size <= 512) await writeFile(join(folder, 'icons', `${size}x${size}.png`), png);
}
await writeFile(join(folder, 'icon.ico'), icoOf(icoSizes));
await writeFile(join(folder, 'icon.icns'), icnsOf(icnsTypes));

async function drawAll(svg: string): Promise<ReadonlyMap<number, Buffer>> {
  const browser = await chromium.launch({
    executablePath: findOrInstallBrowser(),
    // Chromium does not run as root in its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
  });
  try {
    const page = await browser.newPage();
    const drawn = new Map<number, Buffer>();
    for (const size of sizes) {
      await page.setViewportSize({ width: size, height: size });
      await page.setContent(`<style>body { margin: 0 } svg { display: block; width: 100vw }</style>${svg}`);
      drawn.set(size, await page.screenshot({ omitBackground: true }));
    }
    return drawn;
  } finally {
    await browser.close();
  }
}

function pngOf(size: number): Buffer {
  const png = pngs.get(size);
  if (png === undefined) throw new Error(`no icon of ${size} pixels was drawn`);
  return png;
}

/** The ICO format with PNG images: a directory of 16 bytes for each, then the images. */
function icoOf(of: readonly number[]): Buffer {
  const head = Buffer.alloc(6 + 16 * of.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(of.length, 4);
  let offset = head.length;
  for (const [place, size] of of.entries()) {
    const at = 6 + 16 * place;
    // 0 stands for 256.
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(pngOf(size).length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += pngOf(size).length;
  }
  return Buffer.concat([head, ...of.map(pngOf)]);
}

/** The Apple icon image format: a type, a length with these eight bytes, and the image. */
function icnsOf(types: typeof icnsTypes): Buffer {
  const block = (type: string, content: Buffer) => {
    const head = Buffer.alloc(8);
    head.write(type, 'latin1');
    head.writeUInt32BE(8 + content.length, 4);
    return Buffer.concat([head, content]);
  };
  return block('icns', Buffer.concat(types.map(([type, size]) => block(type, pngOf(size)))));
}
