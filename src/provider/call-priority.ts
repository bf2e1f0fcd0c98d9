// Who is waiting for the provider's answer: a person, who must be told something in time, or work that can come back.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Priority = 'request' | 'work';

const priority = new AsyncLocalStorage<Priority>();

/** Whatever `work` asks of the provider, now or later, nobody stands waiting for. */
export const runInBackground = <Result>(work: () => Result): Result => priority.run('work', work);

/** Unless told otherwise, somebody waits. */
export const currentPriority = (): Priority => priority.getStore() ?? 'request';
