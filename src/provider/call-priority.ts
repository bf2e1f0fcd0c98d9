// The priority of calls to the provider: interactive where a user waits for the answer, background where work can be
// repeated.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Priority = 'interactive' | 'background';

const priority = new AsyncLocalStorage<Priority>();

/** Calls that `work` makes, now or later, have the priority of background work. */
export const runInBackground = <Result>(work: () => Result): Result => priority.run('background', work);

/** Interactive, unless the call is made by background work. */
export const currentPriority = (): Priority => priority.getStore() ?? 'interactive';
