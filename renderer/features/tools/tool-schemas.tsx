import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { useMemo, useState } from 'react';
import { CopyButton } from '#ui/copy-button.tsx';
import { isNestedDeeper } from '#ui/schema-form/exact-json.ts';
import { JsonText } from '#ui/json-text.tsx';

/** The schemas of a tool as the server wrote them. */
export function ToolSchemas({ raw, hasOutput }: { readonly raw: string; readonly hasOutput: boolean }) {
  return (
    <div className="mt-auto flex flex-col gap-1 pt-4 pb-3">
      <Part title="Input schema" raw={raw} member="inputSchema" />
      {hasOutput && <Part title="Output schema" raw={raw} member="outputSchema" />}
      <Part title="Whole entry" raw={raw} member={null} />
    </div>
  );
}

function Part({
  title,
  raw,
  member,
}: {
  readonly title: string;
  readonly raw: string;
  readonly member: string | null;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit text-sm text-mute hover:text-text">{title}</summary>
      {isOpen && <PartText raw={raw} member={member} />}
    </details>
  );
}

function PartText({ raw, member }: { readonly raw: string; readonly member: string | null }) {
  const text = useMemo(() => (member === null ? raw : memberText(raw, member)), [raw, member]);
  return (
    <div className="relative mt-1 rounded-ui border border-line bg-raise px-2.5 py-2">
      <CopyButton text={text} className="absolute top-1 right-1" />
      <JsonText raw={text} className="pr-6" />
    </div>
  );
}

/** Levels that the parser reads. */
const DEEPEST = 500;

/** A member of an object as it was written; the whole object when it is nested too deeply to be taken apart. */
function memberText(raw: string, member: string): string {
  if (isNestedDeeper(raw, DEEPEST)) return raw;
  const tree = parseTree(raw);
  const node = tree && findNodeAtLocation(tree, [member]);
  return node ? raw.slice(node.offset, node.offset + node.length) : '';
}
