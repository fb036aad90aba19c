import { CopyButton } from '#ui/copy-button.tsx';
import { JsonText } from '#ui/json-text.tsx';
import type { Sendable } from './drafts.ts';

/** The request as it will go out. */
export function RequestPreview({ tool, args }: { readonly tool: string; readonly args: Sendable }) {
  if (!args.ok) return <p className="text-sm text-faint">There is nothing that could be sent.</p>;
  const request = `{"method":"tools/call","params":{"name":${JSON.stringify(tool)},"arguments":${args.text}}}`;
  return (
    <section
      aria-label="The request that will be sent"
      className="relative rounded-ui border border-line bg-panel px-2.5 py-2"
    >
      <CopyButton text={request} label="Copy the request" className="absolute top-1 right-1" />
      <JsonText raw={request} className="pr-6" />
      <p className="mt-1 text-xs text-faint">
        Exactly these arguments; the id and the progress token are added when it is sent.
      </p>
    </section>
  );
}
