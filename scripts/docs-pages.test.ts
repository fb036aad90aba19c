import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from './step.ts';

const read = (path: string): Promise<string> => readFile(join(projectRoot, path), 'utf8');
const names = await readdir(join(projectRoot, 'docs'));
const pages = names.filter((name) => name.endsWith('.md'));

/** The sources of the page without their tests, where its labels are. */
async function pageSources(): Promise<string> {
  const files = await readdir(join(projectRoot, 'renderer'), { recursive: true });
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !/\.test\./.test(file));
  const texts = await Promise.all(sources.map((file) => read(join('renderer', file))));
  return texts.join('\n').replaceAll(/\s+/g, ' ').replaceAll('’', "'");
}

test('every page of docs/ is linked from the README', async () => {
  const readme = await read('README.md');
  expect(pages.filter((page) => !readme.includes(`(docs/${page})`))).toEqual([]);
});

test.each(pages)('every page that docs/%s links to is there', async (page) => {
  const linked = [...(await read(`docs/${page}`)).matchAll(/\]\(([a-z-]+\.(?:md|json))[)#]/g)];
  expect(linked.map(([, name = '']) => name).filter((name) => !names.includes(name))).toEqual([]);
});

test.each(['connecting.md', 'workflow.md'])(
  'the labels that docs/%s names are those of the window',
  async (page) => {
    const sources = await pageSources();
    const labels = [...(await read(`docs/${page}`)).matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)];
    expect(labels.length).toBeGreaterThan(2);
    const missing = labels.filter(([, label = '']) => !sources.includes(label.replaceAll('’', "'")));
    expect(missing.map(([, label]) => label)).toEqual([]);
  },
);

test('docs/connecting.md tells the consequences of each thing that a server is given', async () => {
  const page = await read('docs/connecting.md');
  const topics = [
    'your account',
    '**Roots**',
    '**Sampling**',
    '**Elicitation**',
    'token passthrough',
    'confused deputy',
  ];
  expect(topics.filter((topic) => !page.includes(topic))).toEqual([]);
  expect(page).toContain('## When consent is skipped');
});

test('the section "Not yet" of docs/features.md names no pane that the window has', async () => {
  const [, section = ''] = (await read('docs/features.md')).split('## Not yet\n');
  const panes = [...(await read('renderer/app/panes.tsx')).matchAll(/label: '(\w+)',\s*shortcut:/g)];
  const words = new Set(section.match(/\w+/g));
  expect(panes.length).toBeGreaterThan(10);
  expect(panes.map(([, label = '']) => label).filter((label) => words.has(label))).toEqual([]);
});

test('while docs/coverage.md has lint rules for later, the README says that not everything is checked', async () => {
  const bullets = (await read('README.md')).split(/^(?:- |#)/m);
  const checks = bullets.find((bullet) => bullet.startsWith('**It checks ')) ?? '';
  expect(checks).toContain('JSON that breaks');
  const isLater = (await read('docs/coverage.md')).includes('(later, lint rules');
  const required = isLater ? [/ not /, /\(docs\/features\.md#not-yet\)/] : [];
  expect(required.filter((part) => !part.test(checks))).toEqual([]);
});
