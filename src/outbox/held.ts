// What this process has in its memory: each row that it leases, and how far it has come.
import type { Work } from './work.ts';

/** `committing`: its transaction has not ended. `failed`: its outcome could not be recorded. */
export type HeldState = 'committing' | 'waiting' | 'running' | 'failed';

export type HeldWork = {
  work: Work;
  /** The id under which this process leased it. */
  owner: string;
  state: HeldState;
  /** Since it is held, on `performance.now()`. */
  sinceMs: number;
  /** When work whose outcome could not be recorded runs again, on `performance.now()`. */
  retryAtMs?: number;
};

export type Held = {
  hold: (work: Work, owner: string, state: HeldState) => void;
  find: (id: string) => HeldWork | undefined;
  /** Not when another lease of the same row is held meanwhile. */
  forget: (one: HeldWork) => void;
  forgetIds: (ids: string[]) => void;
  all: () => HeldWork[];
  failed: () => HeldWork[];
  clear: () => void;
};

export function createHeld(): Held {
  const held = new Map<string, HeldWork>();
  return {
    hold: (work, owner, state) => {
      held.set(work.id, { work, owner, state, sinceMs: performance.now() });
    },
    find: (id) => held.get(id),
    forget: (one) => {
      if (held.get(one.work.id) === one) held.delete(one.work.id);
    },
    forgetIds: (ids) => {
      for (const id of ids) held.delete(id);
    },
    all: () => [...held.values()],
    failed: () => [...held.values()].filter(({ state }) => state === 'failed'),
    clear: () => held.clear(),
  };
}
