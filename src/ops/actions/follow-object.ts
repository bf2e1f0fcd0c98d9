// Makes a person's choice between twins the one that is followed.

import { OutcomeUnknown } from '../../provider/errors.ts';
import { type Call, OpsFailure } from '../command.ts';
import { type Followed, followObject } from '../writes/follow-object.ts';
import { printResult } from './result.ts';

export async function run({ app, out, argument, operator, reason }: Call): Promise<void> {
  const uuid = argument.toLowerCase();
  const followed = await followObject(app, uuid, { operator, reason }).catch(asFailure);
  if (followed === 'not_ours') throw new OpsFailure(`Nothing here follows ${uuid}, or knows it as a twin.`);
  if (followed === 'moved')
    throw new OpsFailure('Somebody else has chosen meanwhile: see npm run ops -- discrepancies --all');
  printResult(out, {
    changed: followed !== 'nothing_open',
    sentence:
      followed === 'nothing_open' ? 'It is the one that is followed, and nothing is open.' : told(followed),
  });
}

const told = ({ chosen, applied }: Exclude<Followed, string>): string => {
  const choice =
    chosen === 'changed'
      ? 'It is followed from now on.'
      : 'It is followed as before; the others are set aside.';
  return applied === 'refused'
    ? `${choice} The state here does not allow what it says: see npm run ops -- discrepancies`
    : `${choice} What it says now is applied.`;
};

function asFailure(error: unknown): never {
  if (!(error instanceof OutcomeUnknown)) throw error;
  throw new OpsFailure(`The provider does not say what it is now, so nothing is changed: ${error.message}`);
}
