// The home screen's answer, shared by the screens. If reading it again fails, the former answer stays, marked as such.
import type { Me } from '@ponte/client';
import { ponte } from './session.ts';
import { createStore } from './store.ts';

/** `error` says why the newest reading failed. `me` may then be out of date. */
export const meStore = createStore<{ me: Me | null; error: unknown }>({ me: null, error: null });

export async function refreshMe(): Promise<Me | null> {
  try {
    const me = await ponte.me();
    meStore.set({ me, error: null });
    return me;
  } catch (error) {
    meStore.set({ me: meStore.get().me, error });
    return null;
  }
}

export const forgetMe = (): void => meStore.set({ me: null, error: null });
