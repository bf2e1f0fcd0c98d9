// Waits for a promise, but only for so long.

/** @returns whether the promise was resolved or rejected within `ms`; others that wait for it are not affected. */
export const settledWithin = (ms: number, promise: Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false);
    const settled = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settled, settled);
  });
