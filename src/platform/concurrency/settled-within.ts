// Waits for a promise with a time limit.

/** Returns whether the promise settled within `ms`. Other code that awaits the promise is not affected. */
export const settledWithin = (ms: number, promise: Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false);
    const settled = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settled, settled);
  });
