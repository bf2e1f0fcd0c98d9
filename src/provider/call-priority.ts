// Stores who makes a call to the provider: its priority, the user whose request or effect it belongs to, and what the caller gives back
// while the call waits. A call is interactive if a user waits for the answer, and background if its work can be retried.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Priority = 'interactive' | 'background';

/** Runs a call to the provider, from its wait for a slot to its last attempt, and notices when it begins and ends. */
export type WhileCalling = <Reply>(call: () => Promise<Reply>) => Promise<Reply>;

/** The caller of a provider call. `userId` is the user it is made for, or null for work that belongs to no user. */
export type Caller = { priority: Priority; userId: string | null; whileCalling: WhileCalling };

const caller = new AsyncLocalStorage<Caller>();

const unnoticed: WhileCalling = (call) => call();

/** Runs `work`. All calls that it makes, also asynchronously, are interactive calls of this user. */
export const runInteractively = <Result>(
  userId: string | null,
  work: () => Result,
  whileCalling = unnoticed,
): Result => caller.run({ priority: 'interactive', userId, whileCalling }, work);

/** Runs `work`. All calls that it makes, also asynchronously, are background calls of this user. */
export const runInBackgroundFor = <Result>(
  userId: string | null,
  work: () => Result,
  whileCalling = unnoticed,
): Result => caller.run({ priority: 'background', userId, whileCalling }, work);

/** Runs `work`. All calls that it makes, also asynchronously, are background calls that belong to no user. */
export const runInBackground = <Result>(work: () => Result): Result => runInBackgroundFor(null, work);

/** Returns the caller set by the functions of this file; by default an interactive caller without a user. */
export const currentCaller = (): Caller =>
  caller.getStore() ?? { priority: 'interactive', userId: null, whileCalling: unnoticed };
