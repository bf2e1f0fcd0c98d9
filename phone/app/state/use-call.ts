// A call that the person starts: whether it is running, and its result.
import { useRef, useState } from 'preact/hooks';

export type Call<Args extends unknown[]> = {
  isBusy: boolean;
  error: unknown;
  run: (...args: Args) => void;
};

/** A second press during the call does nothing. */
export function useCall<Args extends unknown[]>(work: (...args: Args) => Promise<unknown>): Call<Args> {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  const isBusy = useRef(false);
  const start = async (args: Args): Promise<void> => {
    isBusy.current = true;
    setState({ isBusy: true, error: null });
    let error: unknown = null;
    try {
      await work(...args);
    } catch (fault) {
      error = fault;
    }
    isBusy.current = false;
    setState({ isBusy: false, error });
  };
  return { ...state, run: (...args) => void (isBusy.current || start(args)) };
}
