import { useEffect } from 'react';
import { openImport } from '#model/selection.ts';
import { MAX_CONFIGURATION } from '#shared/contract/servers.ts';
import { typesText } from '#ui/shortcut.ts';

/**
 * Opens the import form with a pasted configuration of another client: anywhere in the window but in a text field, and in the
 * fields of a server (`data-takes-configuration`), where one would paste it, unless its form has unsaved edits (`data-is-edited`).
 */
export function usePastedConfiguration(): void {
  useEffect(() => {
    const onPaste = (paste: ClipboardEvent) => {
      const { target } = paste;
      const takes =
        target instanceof Element &&
        target.closest('[data-takes-configuration]') !== null &&
        target.closest('[data-is-edited]') === null;
      if (!takes && typesText(target)) return;
      const text = configurationIn(paste.clipboardData?.getData('text') ?? '');
      if (text === null) return;
      paste.preventDefault();
      paste.stopPropagation();
      openImport({ path: null, text });
    };
    window.addEventListener('paste', onPaste, true);
    return () => window.removeEventListener('paste', onPaste, true);
  }, []);
}

/** What only the configuration of a server has, in any client's format. */
const SERVER_KEY = /"(?:mcpServers|context_servers|servers|command|url|serverUrl|packages|remotes)"\s*:/;
/** Comments, as editors allow them. */
const COMMENTS = /^(?:\s|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/;
/** One member without the braces around it, as READMEs show a server. */
const MEMBER = /^"[^"\n]+"\s*:\s*\{/;

/** The configuration of a client in a text; null if the text does not look like one. The import form says what is wrong with it. */
export function configurationIn(text: string): string | null {
  if (text.length > MAX_CONFIGURATION || !SERVER_KEY.test(text)) return null;
  const start = text.slice(COMMENTS.exec(text)?.[0].length ?? 0);
  if (start.startsWith('{')) return text;
  const member = start.trimEnd().replace(/,$/, '');
  if (!MEMBER.test(member) || !member.trimEnd().endsWith('}')) return null;
  return /^"(?:mcpServers|context_servers|servers)"/.test(start)
    ? `{ ${member} }`
    : `{ "mcpServers": { ${member} } }`;
}
