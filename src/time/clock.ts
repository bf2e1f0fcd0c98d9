// The time, as something that can be handed in: tests set it, nothing reads the machine's clock behind its back.

export type Clock = { now: () => Date };

export const systemClock: Clock = { now: () => new Date() };
