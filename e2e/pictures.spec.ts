import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Page } from 'playwright/test';
import { expect, test } from './app.ts';
import { projectRoot } from './hosts/host.ts';
import { makePictures, type Picture, PICTURE_FOLDER, PICTURE_SIZE } from './pictures.ts';

test('every picture of the README and the guide can be made from a real session, in both themes', async ({
  app,
}, testInfo) => {
  test.slow();
  const made: Picture[] = [];
  await makePictures(app, async (picture) => {
    made.push(picture);
    await writeFile(testInfo.outputPath(picture.file), picture.png);
  });
  const files = made.map(({ file }) => file).sort();

  await test.step('they are those that the README and the guide show, and those of the repository', async () => {
    const pages = (await readdir(join(projectRoot, 'docs'))).filter((name) => name.endsWith('.md'));
    const shown = await Promise.all(['README.md', ...pages.map((name) => `docs/${name}`)].map(picturesOf));
    expect([...new Set(shown.flat())].sort()).toEqual(files.map((file) => `${PICTURE_FOLDER}/${file}`));
    expect((await readdir(join(projectRoot, PICTURE_FOLDER))).sort()).toEqual(files);
  });

  await test.step('each shows the whole window, on a dark or a light ground', async () => {
    for (const { file, colorScheme, png } of made) {
      const stored = await readFile(join(projectRoot, PICTURE_FOLDER, file));
      for (const picture of [png, stored]) {
        const { size, colours, brightness } = await lookOf(app.page, picture);
        const name = `${file}, ${picture === png ? 'made' : 'of the repository'}`;
        expect(size, name).toEqual(PICTURE_SIZE);
        expect(colours, `colours of ${name}`).toBeGreaterThan(200);
        if (colorScheme === 'dark') expect(brightness, `brightness of ${name}`).toBeLessThan(80);
        else expect(brightness, `brightness of ${name}`).toBeGreaterThan(180);
      }
    }
  });
});

/** The pictures that a page of Markdown shows, from the root of the project. */
async function picturesOf(page: string): Promise<string[]> {
  const text = await readFile(join(projectRoot, page), 'utf8');
  const sources = text.matchAll(/\bsrc(?:set)?="([^"]*)"|!\[[^\]]*\]\(([^)\s]*)/g);
  return [...sources].map(([, html, markdown]) => posix.join(dirname(page), html ?? markdown ?? ''));
}

/**
 * The size of a PNG, as the browser decodes it. Of a small copy: how many colours it has, and the mean of their green from 0 to
 * 255.
 */
const lookOf = (page: Page, png: Buffer) =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(144, 90).getContext('2d');
    if (context === null) throw new Error('The browser draws nothing');
    context.drawImage(image, 0, 0, 144, 90);
    const { data } = context.getImageData(0, 0, 144, 90);
    let green = 0;
    for (let at = 1; at < data.length; at += 4) green += data[at] ?? 0;
    const colours = new Set(new Uint32Array(data.buffer)).size;
    return { size: { width: image.width, height: image.height }, colours, brightness: green / (144 * 90) };
  }, png.toString('base64'));
