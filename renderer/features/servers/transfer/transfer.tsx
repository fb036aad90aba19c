import type { OpenTransfer } from '#model/selection.ts';
import { ExportServer } from './export-server.tsx';
import { ImportServers } from './import-servers.tsx';

/** The form that imports servers or exports one. */
export function Transfer({ transfer }: { readonly transfer: OpenTransfer }) {
  return transfer.kind === 'import' ? (
    <ImportServers key={transfer.file?.id} file={transfer.file ?? null} />
  ) : (
    <ExportServer key={transfer.serverId} serverId={transfer.serverId} />
  );
}
