// Repeats something while the screen is open and visible.
import { useEffect, useRef } from 'preact/hooks';

export function useInterval(work: () => void, everyMs: number): void {
  const newest = useRef(work);
  newest.current = work;
  useEffect(() => {
    const tick = (): void => {
      if (!document.hidden) newest.current();
    };
    const timer = setInterval(tick, everyMs);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [everyMs]);
}
