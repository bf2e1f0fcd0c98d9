// Where a point is reached: counted by its name while somebody watches, told to the parent, and, at the one that was
// asked for, the end of this process.

/** What the parent asks for: nothing, a list of every point, or the end at one of them (`name #occurrence`). */
export type Watch = { watch: 'nothing' | 'all' | { killAt: string } };
/** What the parent is told. */
export type Notice = { watching: true } | { point: string };

let watch: Watch['watch'] = startingWith();
const counts = new Map<string, number>();

/** Under `CRASH_POINT` a process ends at a point without being told so by a parent. */
function startingWith(): Watch['watch'] {
  const killAt = process.env['CRASH_POINT'];
  return killAt === undefined ? 'nothing' : { killAt };
}

process.on('message', (message: Partial<Watch>) => {
  if (message.watch === undefined) return;
  watch = message.watch;
  counts.clear();
  tell({ watching: true });
});

export function reach(name: string): void {
  if (watch === 'nothing') return;
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  const point = `${name} #${count}`;
  if (watch === 'all') tell({ point });
  // As from outside: no handler runs, no buffer is written, every connection is left as it is.
  else if (watch.killAt === point) process.kill(process.pid, 'SIGKILL');
}

const tell = (notice: Notice): void => void process.send?.(notice);
