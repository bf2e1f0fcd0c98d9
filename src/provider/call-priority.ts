// Stores who makes a call to the provider: its priority, and the user whose request or effect it belongs to. A call is interactive if
// a user waits for the answer, and background if its work can be retried.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Priority = 'interactive' | 'background';

/** The caller of a provider call. `userId` is the user it is made for, or null for work that belongs to no user. */
export type Caller = { priority: Priority; userId: string | null };

const caller = new AsyncLocalStorage<Caller>();

/** Runs `work`. All calls that it makes, also asynchronously, are interactive calls of this user. */
export const runInteractively = <Result>(userId: string | null, work: () => Result): Result =>
  caller.run({ priority: 'interactive', userId }, work);

/** Runs `work`. All calls that it makes, also asynchronously, are background calls of this user. */
export const runInBackgroundFor = <Result>(userId: string | null, work: () => Result): Result =>
  caller.run({ priority: 'background', userId }, work);

/** Runs `work`. All calls that it makes, also asynchronously, are background calls that belong to no user. */
export const runInBackground = <Result>(work: () => Result): Result => runInBackgroundFor(null, work);

/** Returns the caller set by the functions of this file; by default an interactive caller without a user. */
export const currentCaller = (): Caller => caller.getStore() ?? { priority: 'interactive', userId: null };
