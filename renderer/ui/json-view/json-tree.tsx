import { useState } from 'react';
import { JsonText } from '#ui/json-text.tsx';
import { useOutline } from './json-outline.ts';
import { JsonView } from './json-view.tsx';

/** Rows shown before it scrolls. */
const MAX_ROWS = 18;

/** JSON text as a tree with folding and search, as high as it needs to be. Text that is not JSON is shown unchanged. */
export function JsonTree({ raw, label }: { readonly raw: string; readonly label: string }) {
  const outline = useOutline(raw, false, none, none);
  const [isFinding, setFinding] = useState(false);
  if (!outline.lines.isJson) return <JsonText raw={raw} />;
  return (
    <JsonView
      outline={outline}
      label={label}
      maxRows={MAX_ROWS}
      isFinding={isFinding}
      onFind={setFinding}
      revealed={null}
    />
  );
}

const none: readonly never[] = [];
