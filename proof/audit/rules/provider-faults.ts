// The faults that the sandbox can inject as a provider (its own records name these kinds), and the differences they
// explain. The design's rules bound most of them: a late request, an old read or a coarse clock must not cost anybody
// money. Where the provider itself creates a second object, loses one or moves another amount than ordered, no rule can
// undo that: it must then be a discrepancy that an operator can see.

/** Faults that may leave the two sides' books different. Any other fault excuses no difference. */
export const beyondAnyRule = new Set([
  'provider.forgottenHandle',
  'provider.unfundedTwin',
  'provider.wrongDebit',
  'provider.wrongPayout',
  'provider.misreported',
  'provider.vanished',
  'provider.vanishedHandle',
]);

/** The faults that can cause a discrepancy of each kind, when injected into that very object. */
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

/** Two objects of one payment can contradict each other: then a fault in either is enough. */
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

/** Objects that lists show in a way that nobody can read. */
export const UNREADABLE = 'provider.unreadable';

/** Reads of an account that show an old balance. */
export const OLD_BALANCE = 'provider.laggingRead';
