// The clock, as a dependency: tests set it, and no code reads the machine's clock directly.

export type Clock = { now: () => Date };

export const systemClock: Clock = { now: () => new Date() };
