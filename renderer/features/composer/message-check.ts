import { useEffect, useMemo, useState } from 'react';
import { call } from '#bridge';
import { bytesOf, type ComposerMessage, type Variables } from '#model/composer.ts';
import { useValidation } from '#model/use-validation.ts';
import type { Warning } from '#shared/contract/composer.ts';
import type { UnitBytes } from '#shared/contract/sessions.ts';
import { leafValue, nodeAt, rangeOf, type TreeNode, treeOf } from '#shared/json/tree.ts';
import type { JsonSchema } from './message-schema.ts';
import { formatCount } from '#shared/format.ts';
import { withVariables } from '#shared/json/variables.ts';

/** A warning with its place in the text that was typed. */
export interface PlacedWarning extends Warning {
  /** Offsets; null for the whole text. */
  readonly place: { readonly start: number; readonly end: number } | null;
}

export interface MessageCheck {
  readonly warnings: readonly PlacedWarning[];
  /** The header lines of its HTTP request; null on stdio, or before they are known. */
  readonly headers: readonly (readonly [string, string])[] | null;
  /** Whether this is about the text as it is now. */
  readonly isCurrent: boolean;
}

/** Milliseconds without typing after which a message is checked. */
const PAUSE = 80;

/**
 * Which rules a message breaks, by the engine, and by the input schema of the tool it calls.
 *
 * @param version changes when the same text may be judged differently, such as after something was sent
 */
export function useMessageCheck(
  sessionId: string,
  message: ComposerMessage,
  inputSchemaOf: (tool: string) => JsonSchema | undefined,
  variables: Variables,
  version: number,
): MessageCheck {
  const { text, isRaw } = message;
  const [checked, setChecked] = useState<{
    readonly key: string;
    readonly text: string;
    readonly warnings: readonly Warning[];
    readonly headers: readonly (readonly [string, string])[] | null;
  } | null>(null);
  const key = `${sessionId} ${isRaw} ${version} ${text}`;
  useEffect(() => {
    let isWanted = true;
    const check = async () => {
      const answer = await call('composer/check', {
        sessionId,
        bytes: bytesOf({ text, isRaw }, variables),
        revision: null,
      });
      if (isWanted) setChecked({ key, text, ...answer });
    };
    // A session that is gone cannot be asked; the send says why.
    const timer = setTimeout(() => void check().catch(() => undefined), PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [sessionId, text, isRaw, variables, key]);

  const tree = useMemo(() => (isRaw ? null : treeOf(text)), [text, isRaw]);
  const called = useMemo(() => toolCallIn(text, tree), [text, tree]);
  const schema = called === null ? undefined : inputSchemaOf(called.tool);
  const validation = useValidation(
    schema,
    called === null ? null : withVariables(called.arguments, variables),
  );
  return useMemo(() => {
    const own: readonly Warning[] =
      text.trim() === '' && !isRaw ? [] : checked?.text === text ? checked.warnings : [];
    const ofArguments =
      validation?.state === 'invalid' && called !== null
        ? validation.errors.map(
            ({ pointer, message: said }): Warning => ({
              rule: 'input schema',
              severity: 'warning',
              text: said,
              pointer: `/params/arguments${pointer}`,
              row: null,
            }),
          )
        : [];
    return {
      warnings: [...own, ...ofArguments].map((warning) => ({
        ...warning,
        place: warning.pointer === null || isRaw ? null : rangeOf(tree, warning.pointer),
      })),
      headers: checked?.headers ?? null,
      isCurrent: checked?.key === key,
    };
  }, [checked, validation, called, tree, text, isRaw, key]);
}

/** Whether it breaks a rule; a note about what is legal and surprising is none. */
export const isSerious = ({ severity }: Warning): boolean => severity !== 'info';

/** Whether a message breaks a rule now. */
export async function isWarnedNow(
  sessionId: string,
  bytes: UnitBytes,
  inputSchemaOf: (tool: string) => JsonSchema | undefined,
): Promise<boolean> {
  const { warnings } = await call('composer/check', { sessionId, bytes, revision: null });
  if (warnings.some(isSerious)) return true;
  const called = bytes.as === 'text' ? toolCallIn(bytes.text, treeOf(bytes.text)) : null;
  const schema = called === null ? undefined : inputSchemaOf(called.tool);
  if (called === null || schema === undefined) return false;
  const validation = await call('calls/validate', {
    schema: JSON.stringify(schema),
    value: called.arguments,
  });
  return validation.state === 'invalid';
}

/** The tool that a message calls, and its arguments as JSON text; null if it calls none. */
function toolCallIn(
  text: string,
  tree: TreeNode | null,
): { readonly tool: string; readonly arguments: string } | null {
  if (leafValue(text, nodeAt(tree, ['method'])) !== 'tools/call') return null;
  const tool = leafValue(text, nodeAt(tree, ['params', 'name']));
  const args = nodeAt(tree, ['params', 'arguments']);
  if (typeof tool !== 'string') return null;
  return { tool, arguments: args === undefined ? '{}' : text.slice(args.start, args.end) };
}

/** Line and column of an offset, both from 1. */
export function lineOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `${formatCount(line)}:${offset - before.lastIndexOf('\n')}`;
}
