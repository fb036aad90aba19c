import { Ellipsis } from 'lucide-react';
import { useMemo } from 'react';
import { useCommands } from '#model/commands.ts';
import type { RowDetail } from '#shared/contract/trace.ts';
import { IconButton } from '#ui/button.tsx';
import { Menu } from '#ui/menu.tsx';
import { reportFailure } from '#ui/toaster.tsx';
import { copyAs, copyForms } from './copies.ts';

/** Copies the row in the forms there are of it, by a menu and by commands. */
export function CopyMenu({ sessionId, detail }: { readonly sessionId: string; readonly detail: RowDetail }) {
  const forms = useMemo(() => copyForms.filter(({ works }) => works(detail)), [detail]);
  useCommands(
    useMemo(
      () =>
        forms.map((form) => ({
          id: `trace.copy-${form.id}`,
          title: form.title,
          group: 'Trace' as const,
          keywords: ['clipboard'],
          run: () => reportFailure(copyAs(form, sessionId, detail)),
        })),
      [forms, sessionId, detail],
    ),
  );
  if (forms.length === 0) return null;
  return (
    <Menu
      trigger={
        <IconButton label="Copy as…" size="small">
          <Ellipsis aria-hidden className="size-3.5" />
        </IconButton>
      }
      entries={forms.map((form) => ({
        label: form.label,
        onSelect: () => reportFailure(copyAs(form, sessionId, detail)),
      }))}
    />
  );
}
