// Prints the result of an action: a sentence for people, one object for machines.
import type { Output } from '../output.ts';

/** Prints the result of an action. `changed` is false if there was nothing to change: that is not a failure and is not audited. */
export function printResult(out: Output, result: { changed: boolean; sentence: string }): void {
  if (out.isJson) return out.json(result);
  out.print(
    result.changed ? `${out.style.green('Done.')} ${result.sentence}` : `Nothing changed. ${result.sentence}`,
  );
}
