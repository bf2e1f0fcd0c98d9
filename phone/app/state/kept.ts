// Stores that survive a reload, in the browser's local storage, which all tabs share. A real app keeps its session in the phone's
// secure storage.
import { createStore, type Store } from './store.ts';

type KeptStore<Value> = Store<Value | null> & {
  /** Reads the value again, because another tab may have changed it. */
  newest: () => Value | null;
};

const PREFIX = 'ponte.';
const all: { forget: () => void }[] = [];

// Another tab may have stored something in the moment in which the person signed out.
if (read('session') === null && read('user') === null)
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);

/** The session of this tab. Everything else is kept for its person. */
export const session = keptStore<string>('session');

/** A store that keeps its value only for a person who is signed in. */
export function keptStore<Value>(name: string): KeptStore<Value> {
  const newest = (): Value | null => read(name) as Value | null;
  const store = createStore(newest());
  const set = (value: Value | null): void => {
    const isForSomebody = value === null || name === 'session' || session.get() !== null;
    if (isOver() || !isForSomebody) return;
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
    store.set(value);
  };
  all.push({ forget: () => set(null) });
  return { ...store, set, newest };
}

/** Returns whether the person has signed in or out in another tab. Then nothing of this tab counts any more. */
export const isOver = (): boolean => read('session') !== session.get();

/** Forgets everything of one person before the next one signs in. The session is first. */
export function forgetEverything(): void {
  for (const { forget } of all) forget();
}

function read(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null');
  } catch {
    return null;
  }
}
