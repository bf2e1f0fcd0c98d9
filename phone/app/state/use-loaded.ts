// Something that a screen shows. It is read when the screen opens.
import { useEffect, useState } from 'preact/hooks';

export type Loaded<Value> = { value: Value | null; error: unknown; reload: () => void };

/** @param key a changed key reads the value again. */
export function useLoaded<Value>(
  read: (signal: AbortSignal, show: (value: Value) => void) => Promise<Value>,
  key = '',
): Loaded<Value> {
  const [state, setState] = useState<{ value: Value | null; error: unknown }>({ value: null, error: null });
  const [times, setTimes] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const show = (value: Value): void => {
      if (!leaving.signal.aborted) setState({ value, error: null });
    };
    read(leaving.signal, show).then(show, (error: unknown) => {
      if (!leaving.signal.aborted) setState(({ value }) => ({ value, error }));
    });
    return () => leaving.abort();
  }, [key, times]);
  return { ...state, reload: () => setTimes((before) => before + 1) };
}
