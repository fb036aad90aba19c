import { FileInput } from 'lucide-react';
import { useEffect, useState } from 'react';
import { openFiles } from '#features/recorded/opening.ts';
import { call } from '#bridge';
import { pathOfFile } from '#model/desktop.ts';
import { openImport, useSelection } from '#model/selection.ts';
import { openTestFile } from '#model/tests-pane.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { MAX_TEST_FILE, TEST_FILE_END } from '#shared/contract/saved-calls.ts';
import { MAX_CONFIGURATION } from '#shared/contract/servers.ts';
import { decodeText, isText } from '#shared/text-encoding.ts';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';

/** What a dropped file is, by its name. Anything else is opened as a trace, which says what is wrong with it. */
const isTestFile = ({ name }: File): boolean => name.toLowerCase().endsWith(TEST_FILE_END);
const isConfiguration = (file: File): boolean =>
  /\.(?:jsonc?|json5|toml|ya?ml)$/i.test(file.name) && !isTestFile(file);

/**
 * Takes files dropped anywhere on the window, with a hint while they are dragged over it: traces are opened, the
 * configuration of another client goes to the import form, saved calls to the Tests pane.
 */
export function FileDrop() {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const onOver = (drag: DragEvent) => {
      if (!carriesFiles(drag)) return;
      if (isTakenElsewhere(drag)) return setIsOver(false);
      // Otherwise the browser would navigate to the file.
      drag.preventDefault();
      if (drag.dataTransfer) drag.dataTransfer.dropEffect = 'copy';
      setIsOver(true);
    };
    const onLeave = (drag: DragEvent) => {
      if (drag.relatedTarget === null) setIsOver(false);
    };
    const onDrop = (drag: DragEvent) => {
      setIsOver(false);
      if (!carriesFiles(drag) || isTakenElsewhere(drag)) return;
      drag.preventDefault();
      drag.stopPropagation();
      reportFault(openDropped([...(drag.dataTransfer?.files ?? [])]));
    };
    window.addEventListener('dragenter', onOver, true);
    window.addEventListener('dragover', onOver, true);
    window.addEventListener('dragleave', onLeave, true);
    window.addEventListener('drop', onDrop, true);
    return () => {
      window.removeEventListener('dragenter', onOver, true);
      window.removeEventListener('dragover', onOver, true);
      window.removeEventListener('dragleave', onLeave, true);
      window.removeEventListener('drop', onDrop, true);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-0 z-50 border-2 border-accent bg-accent/8">
      <div
        role="status"
        className="absolute top-1/2 left-1/2 flex -translate-1/2 items-start gap-2.5 rounded-ui border border-line bg-raise px-4 py-3 shadow-float"
      >
        <FileInput aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
        <div>
          <p className="font-medium">Drop to open</p>
          <p className="mt-1 text-mute">
            a trace (.mcptrace), the configuration of another client (.json, .toml, .yaml), or saved calls (
            {TEST_FILE_END})
          </p>
        </div>
      </div>
    </div>
  );
}

const carriesFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;

/** Whether the files are dragged over a part of the window that takes them itself. */
const isTakenElsewhere = ({ target }: DragEvent): boolean =>
  target instanceof Element && target.closest('[data-takes-files]') !== null;

/** Opens all traces, and one configuration or file of saved calls. @throws FaultError if that one cannot be taken */
async function openDropped(files: readonly File[]): Promise<void> {
  const traces = files.filter((file) => !isConfiguration(file) && !isTestFile(file));
  if (traces.length > 0) await openFiles(traces);
  const calls = files.find(isTestFile);
  if (calls !== undefined) await openCalls(calls);
  const configuration = files.find(isConfiguration);
  if (configuration !== undefined) {
    const path = pathOfFile(configuration) ?? configuration.name;
    openImport({ path, text: await textOf(configuration, MAX_CONFIGURATION) });
  }
}

/** Shows saved calls in the Tests pane of the selected server. */
async function openCalls(file: File): Promise<void> {
  const { serverId } = useSelection.getState();
  if (serverId === null) {
    throw new FaultError({
      code: 'no-server',
      what: `${visibleLine(file.name)} holds calls for a server, and there is none.`,
      next: 'Add a server, then drop the file again.',
    });
  }
  // A browser does not tell where the file is, so the data folder gets a copy.
  const path =
    pathOfFile(file) ??
    (await call('saved-calls/receive', { name: file.name, text: await textOf(file, MAX_TEST_FILE) })).path;
  openTestFile(serverId, path);
}

async function textOf(file: File, limit: number): Promise<string> {
  if (file.size > limit)
    throw new FaultError({
      code: 'file-too-large',
      what: `${visibleLine(file.name)} is too large for this.`,
    });
  const decoded = decodeText(new Uint8Array(await file.arrayBuffer()));
  if (isText(decoded)) return decoded.text;
  throw new FaultError({
    code: 'no-text',
    what: `${visibleLine(file.name)}: ${decoded.what}`,
    next: decoded.next,
  });
}
