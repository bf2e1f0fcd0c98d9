// Called when a point is reached: counts the point by name and reports it to the parent. At the requested point, it ends this
// process.

/** The parent's request: watch nothing, list every point, or crash at one of them (`name #occurrence`). */
export type Watch = { watch: 'nothing' | 'all' | { killAt: string } };
/** A message to the parent. */
export type Notice = { watching: true } | { point: string };

let watch: Watch['watch'] = startingWith();
const counts = new Map<string, number>();

/** If `CRASH_WATCH` is set (a `Watch` as JSON), the process watches from its start on, without a request by a parent. */
function startingWith(): Watch['watch'] {
  const request = process.env['CRASH_WATCH'];
  return request === undefined ? 'nothing' : (JSON.parse(request) as Watch).watch;
}

process.on('message', (message: Partial<Watch>) => {
  if (message.watch === undefined) return;
  watch = message.watch;
  counts.clear();
  tell({ watching: true });
});
// A command ends when it has nothing left to do, although its parent could still send requests.
process.channel?.unref();

export function reach(name: string): void {
  if (watch === 'nothing') return;
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  const point = `${name} #${count}`;
  if (watch === 'all') tell({ point });
  // This acts like a kill: no handler runs, no buffer is flushed, every connection stays open.
  else if (watch.killAt === point) process.kill(process.pid, 'SIGKILL');
}

const tell = (notice: Notice): void => void process.send?.(notice);
