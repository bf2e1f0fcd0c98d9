// The budget of tokens that a user spends on answers that name another person. Banco Central's directory of PIX keys (DICT) has this
// rule for people, so that nobody can collect names by trying keys.

/** The tokens of a user who has not asked for any name lately. */
export const MAX_TOKENS = 100;
/** Two tokens come back each minute. */
export const SECONDS_PER_TOKEN = 30;

/** The cost of an answer in tokens: it names a person, there is nobody to name, or there is no answer. */
export const costs = { name: 1, nobody: 20, no_answer: 0 } as const;

export type AnswerKind = keyof typeof costs;

/** A question takes this many tokens before it is asked, if at least one is left. */
export const TAKEN_BEFORE = Math.max(...Object.values(costs));
