/** The search field of the palette: before the list has loaded, and in it. */
export const paletteField = {
  placeholder: 'Search commands, tools, resources, prompts, traces…',
  className:
    'h-8 w-full border-b border-line bg-transparent px-3 text-text outline-none focus-visible:outline-none',
} as const;

/** What was typed before the list had loaded. */
export interface TypedBefore {
  readonly text: string;
  /** Whether Enter was pressed, which runs the best command. */
  readonly isEntered: boolean;
}
