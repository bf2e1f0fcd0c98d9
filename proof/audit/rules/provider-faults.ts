// What the sandbox can be made to do wrong as a provider (its own records name these kinds), and what that excuses. The
// design's rules bound most of it: a late request, an old read or a coarse clock must not cost anybody anything. Where the
// provider itself makes a second object, loses one or lies about an amount, no rule can undo that: it must then be a
// discrepancy that somebody can see.

/** Faults that may leave the two sides' books apart. Any other fault excuses no difference. */
export const beyondAnyRule = new Set([
  'provider.forgottenHandle',
  'provider.unfundedTwin',
  'provider.wrongDebit',
  'provider.wrongPayout',
  'provider.misreported',
  'provider.vanished',
  'provider.vanishedHandle',
]);
