// What a state means for queries: said once, at the state, and read from the machine everywhere else.

export type StateTag =
  /** Something is still to come: reconciliation asks the provider about it, and its age is watched. */
  | 'unfinished'
  /** Promised here, and perhaps not debited at the provider yet. */
  | 'fundsReserved'
  /** Nothing moves until its user acts. */
  | 'awaitsUser'
  /** Nothing moves by itself any more: a person of ours decides. */
  | 'needsSupport';
