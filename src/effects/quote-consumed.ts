// The outcome of a conversion whose locked quote was consumed although no transfer is found.
import { OutcomeUnknown } from '../provider/errors.ts';

// Only one conversion uses the quote, so it was probably consumed by our own debit, which no look-up shows yet. It must not
// fail for that reason. An operator is alerted if the state lasts too long.
export const quoteConsumed = () =>
  new OutcomeUnknown('createTransfer', 'the quote was consumed, and no transfer is found under the handle', {
    mayHaveActed: false,
  });
