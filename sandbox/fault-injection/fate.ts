// How a callback is delivered: on time, late, more than once, or never.

export interface Fate {
  /** When to send each copy, in milliseconds from now. Empty for a lost callback. */
  delaysMs: number[];
  /** Whether the only copy waits to be overtaken. */
  isHeld: boolean;
}

export const ON_TIME: Fate = { delaysMs: [0], isHeld: false };
export const LOST: Fate = { delaysMs: [], isHeld: false };
