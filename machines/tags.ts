// The meaning of a state for queries: declared once, at the state, and read from the machine everywhere else.

export type StateTag =
  /** Unfinished: reconciliation fetches it from the provider, and its age is watched. */
  | 'unfinished'
  /** Reserved here, and perhaps not debited at the provider yet. */
  | 'fundsReserved'
  /** Nothing moves until its user acts. */
  | 'awaitsUser'
  /** Nothing moves by itself any more: an operator decides. */
  | 'needsSupport';
