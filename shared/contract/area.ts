import type { z } from 'zod';

export interface CommandShape {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
}

/** One area of the contract: what the screen may ask of the engine, and what the engine tells unasked. */
export interface Area {
  readonly commands: Readonly<Record<string, CommandShape>>;
  readonly events: Readonly<Record<string, z.ZodType>>;
}

/** Keeps the exact names and schemas of an area. */
export const defineArea = <const A extends Area>(area: A): A => area;
