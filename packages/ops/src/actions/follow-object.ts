// Follows the object that an operator has chosen between twins.
import { OutcomeUnknown } from '../../../../src/provider/errors.ts';
import { type CommandCall, OpsFailure } from '../command.ts';
import { type Followed, followObject } from '../writes/follow-object.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, argument, operator, reason }: CommandCall): Promise<void> {
  const uuid = argument.toLowerCase();
  const followed = await followObject(app, uuid, { operator, reason }).catch(asFailure);
  if (followed === 'not_ours') throw new OpsFailure(`No row here follows ${uuid} or has it as a twin.`);
  if (followed === 'moved')
    throw new OpsFailure('Another operator has chosen meanwhile. See: npm run ops -- discrepancies --all');
  printResult(out, {
    changed: followed !== 'nothing_open',
    sentence:
      followed === 'nothing_open'
        ? 'This object is followed already, and no discrepancy is open.'
        : sentenceOf(followed),
  });
}

const sentenceOf = ({ chosen, applied }: Exclude<Followed, string>): string => {
  const choice =
    chosen === 'changed'
      ? 'The object is followed from now on.'
      : 'The object is followed as before; the others are set aside.';
  return applied === 'refused'
    ? `${choice} Our state does not allow its state, which is a discrepancy. See: npm run ops -- discrepancies`
    : `${choice} Its present state is applied.`;
};

function asFailure(error: unknown): never {
  if (!(error instanceof OutcomeUnknown)) throw error;
  throw new OpsFailure(
    `The provider could not be asked for its present state, so nothing is changed: ${error.message}`,
  );
}
