// How the end of a change is told: a sentence for people, one object for machines.
import type { Output } from '../output.ts';

/** @param changed false when what was asked for held already: that is no failure, and leaves no record. */
export function printResult(out: Output, result: { changed: boolean; sentence: string }): void {
  if (out.isJson) return out.json(result);
  out.print(
    result.changed ? `${out.style.green('Done.')} ${result.sentence}` : `Nothing changed. ${result.sentence}`,
  );
}
