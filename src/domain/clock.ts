// The clock as a dependency, so that tests can set it.

export type Clock = { now: () => Date };

export const systemClock: Clock = { now: () => new Date() };
