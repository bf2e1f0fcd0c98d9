// Called where a point is reached: counts it by name, reports it to the parent, and, at the requested one, ends this
// process.

/** The parent's request: nothing, a list of every point, or a crash at one of them (`name #occurrence`). */
export type Watch = { watch: 'nothing' | 'all' | { killAt: string } };
/** The report to the parent. */
export type Notice = { watching: true } | { point: string };

let watch: Watch['watch'] = startingWith();
const counts = new Map<string, number>();

/** Under `CRASH_WATCH` (a `Watch` as JSON) a process watches from its start on, without a request by a parent. */
function startingWith(): Watch['watch'] {
  const given = process.env['CRASH_WATCH'];
  return given === undefined ? 'nothing' : (JSON.parse(given) as Watch).watch;
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
  // As if killed: no handler runs, no buffer is flushed, every connection is left open.
  else if (watch.killAt === point) process.kill(process.pid, 'SIGKILL');
}

const tell = (notice: Notice): void => void process.send?.(notice);
