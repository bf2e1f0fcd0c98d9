// What the sandbox can be made to do wrong as a provider (its own records name these kinds), and what that explains. The
// design's rules bound most of it: a late request, an old read or a coarse clock must not cost anybody anything. Where the
// provider itself makes a second object, loses one or moves another amount than asked for, no rule can undo that: it must
// then be a discrepancy that somebody can see.

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

/** What a discrepancy of each kind can come from, when it was done to the very object. */
export const causesOf: Record<string, string[]> = {
  twin: ['provider.forgottenHandle', 'provider.unfundedTwin', 'provider.vanishedHandle'],
  vanished: [
    'provider.vanished',
    'provider.vanishedHandle',
    'provider.laggingRead',
    'provider.laggingLookup',
  ],
  not_as_ordered: [
    'provider.wrongDebit',
    'provider.wrongDelivery',
    'provider.wrongPayout',
    'provider.misreported',
  ],
  debit_differs: ['provider.wrongDebit', 'provider.misreported'],
  delivery_differs: ['provider.wrongDelivery', 'provider.misreported'],
  clock_stepped_back: ['provider.jumpingClock', 'provider.coarseClock', 'provider.laggingRead'],
  quote_lifetime: ['provider.longQuote'],
};

/** Two objects of one payment can contradict each other: then it is enough that this was done to either. */
export const causesOfContradiction = new Set([
  'provider.receivedLate',
  'provider.forgottenHandle',
  'provider.unfundedTwin',
  'provider.wrongDebit',
  'provider.wrongDelivery',
  'provider.wrongPayout',
  'provider.misreported',
  'provider.vanished',
  'provider.vanishedHandle',
  'provider.laggingRead',
  'provider.laggingLookup',
  'provider.coarseClock',
  'provider.jumpingClock',
]);

/** Reads of an account that show a balance of some seconds ago. */
export const OLD_BALANCE = 'provider.laggingRead';
