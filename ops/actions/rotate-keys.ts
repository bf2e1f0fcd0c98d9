// Wraps every data key with the first master key, so that the other master keys can be removed from the configuration. Then reseals
// the values that are not bound to a version of their row.
import { resealUnversioned } from '../../src/security/reseal.ts';
import { MasterKeyMissing, rewrapDataKeys } from '../../src/security/rewrap.ts';
import { audit } from '../action.ts';
import { type ActionResult, type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { count } from '../format.ts';

export const keysRotateCommand: CommandSpec = {
  name: 'keys rotate',
  summary: 'wrap all data keys by the first master key, and reseal values of version 0.2.0',
  run,
};

async function run(call: CommandCall): Promise<ActionResult> {
  const { app, out, signal } = call;
  const { masterKeys } = app.config;
  const first = masterKeys[0]?.id ?? '';
  await audit(app.db, call, { target: first, userId: null });
  const begunMs = performance.now();
  const rewrapped = await rewrapDataKeys(app.db, masterKeys, {
    onProgress: (done) => out.progress(`${count(done, 'data key')} rewrapped${rateOf(done, begunMs)}`),
    signal,
  }).catch((error: unknown) => {
    throw error instanceof MasterKeyMissing ? new OpsFailure(sentenceOf(error)) : error;
  });
  const { resealed, broken } = await resealUnversioned(app, {
    onProgress: (done) => out.progress(`${count(done, 'sealed value')} bound to a version of its row`),
    signal,
  });
  const done = `${count(rewrapped, 'data key')} and ${count(resealed, 'sealed value')}`;
  if (signal.aborted) throw new OpsFailure(`Interrupted after ${done}. The same call continues.`);
  if (broken.length > 0)
    throw new OpsFailure(
      `After ${done}, these values do not open: ${broken.join(', ')}. The others are done.`,
    );
  const keys =
    rewrapped > 0
      ? `${count(rewrapped, 'data key')} are wrapped by ${first} now.`
      : `Every data key is wrapped by ${first} already.`;
  const values =
    resealed > 0
      ? `${count(resealed, 'sealed value')} are bound to a version of their row now.`
      : 'Every sealed value that may be replaced is bound to a version of its row already.';
  return { changed: rewrapped + resealed > 0, sentence: `${keys} ${values}` };
}

const rateOf = (done: number, begunMs: number): string =>
  `, ${Math.round((done * 1_000) / Math.max(1, performance.now() - begunMs))} a second`;

const sentenceOf = ({ ids }: MasterKeyMissing): string =>
  `Some data keys are wrapped by ${ids.join(', ')}, which PII_ENCRYPTION_KEY does not hold. Put it back, behind the first one.`;
