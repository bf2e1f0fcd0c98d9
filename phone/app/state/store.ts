// A value that components follow: setting it draws all components that use it again.
import { useEffect, useState } from 'preact/hooks';

export type Store<Value> = {
  get: () => Value;
  set: (value: Value) => void;
  use: () => Value;
};

export function createStore<Value>(initial: Value): Store<Value> {
  let current = initial;
  const listeners = new Set<(value: Value) => void>();
  return {
    get: () => current,
    set: (value) => {
      current = value;
      for (const listener of listeners) listener(value);
    },
    use: () => {
      const [value, setValue] = useState<Value>(() => current);
      useEffect(() => {
        const listener = (next: Value): void => setValue(() => next);
        listeners.add(listener);
        // The value may have been set between the drawing and this subscription.
        listener(current);
        return () => void listeners.delete(listener);
      }, []);
      return value;
    },
  };
}
