// What became of a callback. `unmatched` may still be ours: it can overtake the commit that it is about.
export type Outcome = { status: 'applied' | 'ignored' | 'unmatched'; why: string | null };
