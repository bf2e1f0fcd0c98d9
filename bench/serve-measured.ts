// Runs in the process of a server under measurement (see server-process.ts).

/** Reports the server's address to the benchmark, then answers each of its messages with the processor time used so far. */
export function serveMeasured(url: string): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(url);
}
