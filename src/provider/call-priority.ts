// Who makes a call to the provider: its priority, interactive where a user waits for the answer and background where work
// can be repeated, and the person whose request or effect it is.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Priority = 'interactive' | 'background';

/** `userId`: the person for whom the call is made; null for work that is no person's. */
export type Caller = { priority: Priority; userId: string | null };

const caller = new AsyncLocalStorage<Caller>();

/** Calls that `work` makes, now or later, are interactive calls of this person. */
export const runInteractively = <Result>(userId: string | null, work: () => Result): Result =>
  caller.run({ priority: 'interactive', userId }, work);

/** Calls that `work` makes, now or later, are background calls of this person. */
export const runInBackgroundFor = <Result>(userId: string | null, work: () => Result): Result =>
  caller.run({ priority: 'background', userId }, work);

/** Calls that `work` makes, now or later, are background calls of no person. */
export const runInBackground = <Result>(work: () => Result): Result => runInBackgroundFor(null, work);

/** Interactive, and of no person, unless one of the above says otherwise. */
export const currentCaller = (): Caller => caller.getStore() ?? { priority: 'interactive', userId: null };
