// Who is waiting for the provider's answer: a person, who must be told something in time, or work that can come back.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Asker = 'request' | 'work';

const asker = new AsyncLocalStorage<Asker>();

/** Whatever `work` asks of the provider, now or later, nobody stands waiting for. */
export const asWork = <Result>(work: () => Result): Result => asker.run('work', work);

/** Unless told otherwise, somebody waits. */
export const currentAsker = (): Asker => asker.getStore() ?? 'request';
