// The operator of a run: starts the nightly reconciliation, and decides what only a person may, by the commands of the
// runbook. Faults are over by then, so what the provider says now is true.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import type { Stack } from './stack.ts';
import { unfinished } from './under-way.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_RUNS = 3;
/** So many of them decide beside each other. */
const OPERATORS = 4;

/**
 * What the provider did not answer in time, a run of the reconciliation names and leaves to the next one.
 * @returns how many runs it took.
 */
export async function reconcile(stack: Stack): Promise<number> {
  for (let runs = 1; ; runs += 1) {
    const { code, output } = await operate(stack, ['reconciliation', 'run', '--reason', 'after the faults']);
    if (code === 0) return runs;
    if (!output.includes('The next run tries the rest again') || runs === MOST_RUNS)
      throw new Error(`reconciliation ended with ${code}: ${output.slice(-2_000)}`);
  }
}

/**
 * Decides each open discrepancy that holds something. A decision that is refused is told, and taken again by the next
 * call; what stays held, the auditor names.
 * @returns how many decisions were carried out.
 */
export async function decideWhatIsHeld(
  stack: Stack,
  pool: Pool,
  tell: (what: string) => void,
): Promise<number> {
  const waiting = await decisions(pool);
  let decided = 0;
  const decide = async (): Promise<void> => {
    for (let args = waiting.shift(); args; args = waiting.shift()) {
      tell(`${waiting.length + 1} decisions`);
      const { code, output } = await operate(stack, [
        'discrepancies',
        ...args,
        '--reason',
        'asked the provider',
      ]);
      if (code === 0) decided += 1;
      else tell(`discrepancies ${args.join(' ')}: ${output.trim()}`);
    }
  };
  await Promise.all(Array.from({ length: OPERATORS }, decide));
  return decided;
}

/** What each of them asks for: to follow an object, or to end what its object did not end as ordered. */
async function decisions(pool: Pool): Promise<string[][]> {
  const { rows } = await pool.query<{ id: string; follow: string | null; outcome: string }>(`
    select discrepancy.id,
      case discrepancy.kind
        when 'clock_stepped_back' then discrepancy.provider_ref
        when 'twin' then coalesce(
          (select twin.provider_ref from discrepancies twin
           where twin.handle = discrepancy.handle and twin.kind = 'twin' and twin.event like '%.completed' limit 1),
          resource.provider_ref)
      end as follow,
      case when discrepancy.subject_kind = 'pix_payment' then 'manual_review'
        when discrepancy.event like '%.completed' then 'completed' else 'failed' end as outcome
    from discrepancies discrepancy join provider_resources resource using (handle)
    where discrepancy.resolved_at is null
      and (discrepancy.kind = 'clock_stepped_back'
        or discrepancy.kind in ('twin', 'not_as_ordered') and discrepancy.subject_id in (${unfinished}))`);
  const followed = new Set(rows.flatMap(({ follow }) => follow ?? []));
  return [
    ...[...followed].map((uuid) => ['follow', uuid]),
    ...rows.filter(({ follow }) => follow === null).map(({ id, outcome }) => ['end', id, '--as', outcome]),
  ];
}

async function operate(stack: Stack, args: string[]): Promise<{ code: number | null; output: string }> {
  const output: string[] = [];
  const child = spawn(process.execPath, ['src/ops/main.ts', ...args, '--operator', 'chaos'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], ...stack.environment(), PROVIDER_TIMEOUT_MS: '10000' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void output.push(chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output: output.join('') };
}
