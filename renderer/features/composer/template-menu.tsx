import { ChevronDown } from 'lucide-react';
import { useMemo, useState } from 'react';
import { addMessage, newMessageContext } from '#model/composer.ts';
import { useCommands } from '#model/commands.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { indentedJson } from '#shared/json/tokens.ts';
import { newestLegacyRevision } from '#shared/protocol/revisions.ts';
import { Button } from '#ui/button.tsx';
import { OptionList, moveSelection } from '#ui/option-list.tsx';
import { Popover } from '#ui/popover.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import type { ComposerCatalog } from './message-schema.ts';
import { type Template, templatesFor } from './templates.ts';

/** Adds a message made of a template: a method, a kind of message, or something from the catalog. */
export function TemplateMenu({
  session,
  catalog,
}: {
  readonly session: SessionStatus;
  readonly catalog: ComposerCatalog;
}) {
  const [isOpen, setOpen] = useState(false);
  useCommands(
    useMemo(
      () => [
        {
          id: 'composer.template',
          title: 'Compose a message from a template…',
          group: 'Composer',
          shortcut: 'Mod+Shift+F',
          keywords: ['method', 'request', 'notification', 'batch', 'raw'],
          run: () => setOpen(true),
        },
      ],
      [],
    ),
  );
  return (
    <Popover
      label="Templates"
      open={isOpen}
      onOpenChange={setOpen}
      align="end"
      className="w-[360px] p-0!"
      trigger={
        <Button size="small">
          Templates
          <ChevronDown aria-hidden className="size-3 text-faint" />
        </Button>
      }
    >
      <TemplateList session={session} catalog={catalog} onDone={() => setOpen(false)} />
    </Popover>
  );
}

/** Templates shown at once. */
const MAX_SHOWN = 200;

function TemplateList({
  session,
  catalog,
  onDone,
}: {
  readonly session: SessionStatus;
  readonly catalog: ComposerCatalog;
  readonly onDone: () => void;
}) {
  const [search, setSearch] = useState('');
  const [chosen, choose] = useState<Template | null>(null);
  const revision = session.agreement?.revision ?? newestLegacyRevision;
  const all = useMemo(() => templatesFor(revision, catalog), [revision, catalog]);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = all
    .filter(({ label, group }) => words.every((word) => `${label} ${group}`.toLowerCase().includes(word)))
    .slice(0, MAX_SHOWN);
  const selected = chosen !== null && shown.includes(chosen) ? chosen : (shown[0] ?? null);
  const use = (template: Template | null) => {
    if (template === null) return;
    onDone();
    reportFault(
      newMessageContext(session.id, session.serverId).then((context) => {
        const text = template.make(context);
        addMessage(session.serverId, template.isRaw ? text : (indentedJson(text) ?? text), {
          isRaw: template.isRaw,
        });
      }),
    );
  };
  return (
    <div className="flex max-h-[min(420px,60vh)] flex-col">
      <div className="p-2">
        <SearchField
          label="Find a template"
          value={search}
          onChange={setSearch}
          onKeyDown={(press) => {
            if (press.key === 'Enter') use(selected);
            else if (press.key.startsWith('Arrow')) moveSelection(press, shown, selected, choose);
          }}
        />
      </div>
      <OptionList
        label="Templates"
        options={shown}
        idOf={(template) => template.id.replaceAll(/\W+/g, '_')}
        selected={selected}
        onSelect={choose}
        onEnter={() => use(selected)}
        folds
        borderOf={(template) =>
          shown[shown.indexOf(template) - 1]?.group === template.group ? null : template.group
        }
      >
        {drawTemplate(use)}
      </OptionList>
    </div>
  );
}

const drawTemplate = (use: (template: Template) => void) => (template: Template) => (
  // The keys of an option are those of its list.
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
  <div className="mono truncate leading-[20px]" onClick={() => use(template)}>
    {visibleLine(template.label)}
  </div>
);
