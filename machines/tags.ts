// The tags of states, which queries use. A tag is declared at its state and read from the machine everywhere else.

export type StateTag =
  /** The row is unfinished: reconciliation fetches it from the provider, and its age is monitored. */
  | 'unfinished'
  /** Money is reserved here and may not be debited at the provider yet. */
  | 'fundsReserved'
  /** Nothing happens until the user acts. */
  | 'awaitsUser'
  /** Nothing more happens by itself: an operator decides. */
  | 'needsSupport';
