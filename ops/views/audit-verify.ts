// Proves that no row of the audit record was changed or removed, or names the first row that differs from what was written.
import { type Head, headOf, headText, verifyChain } from '../../src/audit/chain.ts';
import { type CommandCall, type CommandSpec, OpsFailure, type OptionValue, UsageError } from '../command.ts';
import { count } from '../format.ts';

export const auditVerifyCommand: CommandSpec = {
  name: 'audit verify',
  summary: 'prove that no row of the audit record was changed or removed',
  options: {
    head: {
      placeholder: '<row:hash>',
      summary: 'the head that an earlier call printed: shows a record that was cut off or rewritten',
    },
    from: { placeholder: '<row>', summary: 'begin behind a break', default: '1' },
  },
  run,
};

async function run({ app, out, options, signal }: CommandCall): Promise<void> {
  const notedHead = headIn(options['head']);
  const verdict = await verifyChain(app.db, {
    notedHead,
    from: fromIn(options['from']),
    onProgress: (rows) => out.progress(`${count(rows, 'row')} verified`),
    signal,
  }).catch((error: unknown) => {
    throw signal.aborted ? new OpsFailure('Interrupted: nothing is proved.') : error;
  });
  const { rows, head, broken, misdated, rolledBack } = verdict;
  if (out.isJson) out.json(verdict);
  if (broken !== null)
    throw new OpsFailure(
      `The audit record is broken: row ${broken.seq} ${broken.why}. The ${count(rows, 'row')} before it ${rows === 1 ? 'is' : 'are'} whole.`,
    );
  if (rolledBack.length > 0)
    throw new OpsFailure(
      `The audit record is whole, and rows were put back to a former version: ${rolledBack.join('; ')}.`,
    );
  if (out.isJson) return;
  out.print(`${out.style.green('Whole.')} ${count(rows, 'row')}; the head is ${headText(head)}`);
  if (misdated > 0)
    out.note(`${count(misdated, 'row')} have a time more than five minutes from the database's clock.`);
  out.note(
    out.style.dim(
      'Keep the head where no user of this database can write, and pass it as --head the next time.',
    ),
  );
}

function fromIn(text: OptionValue): number {
  const from = Number(text);
  if (!(Number.isSafeInteger(from) && from >= 1)) throw new UsageError('--from must be the number of a row.');
  return from;
}

function headIn(text: OptionValue): Head | undefined {
  if (text === undefined) return undefined;
  const head = headOf(String(text));
  if (head === null) throw new UsageError('--head must be a row and its hash, as audit verify prints them.');
  return head;
}
