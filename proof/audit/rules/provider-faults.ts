// The faults that the sandbox can inject as a provider (its own records name these kinds), and the differences they explain. The
// design's rules bound most of them: a late request, an old read or a coarse clock must not cost a user money. If the provider
// itself creates a second object, loses one or moves a different amount, no rule can undo it: an operator must then see it as a
// discrepancy.

/** A payout that failed was completed after all, perhaps after its money was returned to the user. */
export const LATE_COMPLETION = 'business.completedLate';

/** Faults that may make the two sides' books differ. No other fault excuses a difference. */
export const beyondAnyRule = new Set([
  LATE_COMPLETION,
  'provider.forgottenHandle',
  'provider.unfundedTwin',
  'provider.wrongDebit',
  'provider.wrongPayout',
  'provider.misreported',
  'provider.vanished',
  'provider.vanishedHandle',
]);

/** The faults that can cause a discrepancy of each kind, if they were injected into the object that it is about. */
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

/** Two objects of one payment can contradict each other. A fault in either of them explains it. */
export const causesOfContradiction = new Set([
  LATE_COMPLETION,
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

/** The fault by which lists show an object in an unreadable form. */
export const UNREADABLE = 'provider.unreadable';

/** The fault by which reads of an account show an old balance. */
export const OLD_BALANCE = 'provider.laggingRead';
