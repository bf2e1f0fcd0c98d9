// Names the caller of the provider. Its calls are interactive if a user waits for the answer, and background if the work is retried.

export type Priority = 'interactive' | 'background';

/** Runs a call to the provider, from its wait for a slot to its last attempt, and notices when it begins and ends. */
export type WhileCalling = <Reply>(call: () => Promise<Reply>) => Promise<Reply>;

/** The caller of the provider. `userId` is the user whom the calls are for, or null for work that belongs to no user. */
export type Caller<Of extends Priority = Priority> = {
  priority: Of;
  userId: string | null;
  whileCalling?: WhileCalling;
};

/** The caller for a command whose answer an operator waits for. */
export const waitingOperator = { priority: 'interactive', userId: null } as const;

/** The caller for work that belongs to no user and is retried. */
export const unattended = { priority: 'background', userId: null } as const;
