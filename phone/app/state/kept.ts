// Stores that survive a reload, in the browser's local storage. A real app keeps its session in the phone's secure storage.
import { createStore, type Store } from './store.ts';

const all: { forget: () => void }[] = [];

export function keptStore<Value>(name: string): Store<Value | null> {
  const key = `ponte.${name}`;
  const store = createStore<Value | null>(read(key) as Value | null, (value) => {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  });
  all.push({ forget: () => store.set(null) });
  return store;
}

/** Forgets everything of one person before the next one signs in. */
export function forgetEverything(): void {
  for (const { forget } of all) forget();
}

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}
