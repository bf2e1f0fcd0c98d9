// Waits for the delivery of a callback, so that a reply can be sent after it.

export interface Arrivals {
  /** Resolves to true once a callback about the resource was delivered, and to false if none was delivered in time. */
  next(uuid: string, patienceMs: number): Promise<boolean>;
  tell(uuid: string): void;
}

export function createArrivals(): Arrivals {
  const waiting = new Map<string, Set<(arrived: boolean) => void>>();
  return {
    next(uuid, patienceMs) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const others = waiting.get(uuid) ?? new Set();
      waiting.set(uuid, others.add(resolve));
      const timer = setTimeout(resolve, patienceMs, false);
      return promise.finally(() => {
        clearTimeout(timer);
        others.delete(resolve);
        if (others.size === 0) waiting.delete(uuid);
      });
    },
    tell(uuid) {
      for (const resolve of waiting.get(uuid) ?? []) resolve(true);
    },
  };
}
