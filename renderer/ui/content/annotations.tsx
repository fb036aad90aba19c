import type { ContentAnnotations } from '#shared/contract/catalog.ts';
import { type ReactNode, useState } from 'react';
import { formatQuantity } from '#shared/format.ts';
import { Chip } from '../chip.tsx';
import { Segmented } from '../segmented.tsx';
import { visibleLine } from '../visible.ts';

/** Whose content is shown: of everybody, or only what the user or the model is meant to see. */
export type Audience = 'any' | 'user' | 'assistant';

/** Whether something is meant for an audience. What states none is meant for everybody (MCP resources, annotations). */
export const isFor = (annotations: ContentAnnotations | undefined, audience: Audience): boolean =>
  audience === 'any' || !statesAudience(annotations) || annotations?.audience?.includes(audience) === true;

const statesAudience = (annotations: ContentAnnotations | undefined): boolean =>
  annotations?.audience !== undefined && annotations.audience.length > 0;

/** Annotations in words: `for user`, `priority 0.8`, `changed 2025-05-03`. */
export function annotationWords(annotations: ContentAnnotations | undefined): string[] {
  const { audience, priority, lastModified } = annotations ?? {};
  return [
    statesAudience(annotations) ? `for ${audience?.join(', ')}` : null,
    priority === undefined ? null : `priority ${priority}`,
    lastModified === undefined ? null : `changed ${lastModified}`,
  ]
    .filter((part) => part !== null)
    .map(visibleLine);
}

/** Annotations as small chips; nothing if there are none. */
export function AnnotationChips({ annotations }: { readonly annotations: ContentAnnotations | undefined }) {
  const words = annotationWords(annotations);
  if (words.length === 0) return null;
  return (
    <span className="inline-flex max-w-full flex-wrap gap-1 align-middle">
      {words.map((word) => (
        <Chip key={word}>{word}</Chip>
      ))}
    </span>
  );
}

/** Items of content, with a choice of whose are shown if any of them states an audience. */
export function ForAudience<T>({
  items,
  annotationsOf,
  children,
}: {
  readonly items: readonly T[];
  readonly annotationsOf: (item: T) => ContentAnnotations | undefined;
  /** Renders an item; it needs a key. */
  readonly children: (item: T, index: number) => ReactNode;
}) {
  const [audience, setAudience] = useState<Audience>('any');
  if (!items.some((item) => statesAudience(annotationsOf(item)))) return items.map(children);
  const isShown = (item: T): boolean => isFor(annotationsOf(item), audience);
  const hidden = items.filter((item) => !isShown(item)).length;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Show what is seen by"
          value={audience}
          onChange={setAudience}
          options={[
            { id: 'any', label: 'All' },
            { id: 'assistant', label: 'Assistant' },
            { id: 'user', label: 'User' },
          ]}
        />
        {hidden > 0 && (
          <span role="status" className="text-sm text-mute">
            {formatQuantity(hidden, 'item')} not for the {audience}
          </span>
        )}
      </div>
      {items.map((item, index) => (isShown(item) ? children(item, index) : null))}
    </>
  );
}
