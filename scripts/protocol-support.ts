// Writes docs/protocol-support.md: what each revision has over each transport, and the test that shows it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { supportPage } from './protocol-support/page.ts';
import { projectRoot } from './step.ts';

export const supportFile = join(projectRoot, 'docs/protocol-support.md');

if (import.meta.main) {
  const { text, shown, total } = supportPage();
  await writeFile(supportFile, text);
  console.log(
    `${shown.real} of ${total} cells are shown on a real server, ${shown.elsewhere} in another place`,
  );
}
