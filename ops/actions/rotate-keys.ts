// Wraps every data key with the first master key and hashes every value that `find` searches with the first search key, so that the
// former keys can be removed from the configuration. Also reseals the values that are not bound to a version of their row.
import { hashValues } from '../../src/security/hash-values.ts';
import { resealUnversioned } from '../../src/security/reseal.ts';
import { MasterKeyMissing, rewrapDataKeys } from '../../src/security/rewrap.ts';
import { audit } from '../action.ts';
import { type ActionResult, type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { count, rateOf } from '../format.ts';

export const keysRotateCommand: CommandSpec = {
  name: 'keys rotate',
  summary: 'wrap by the first master key and hash by the first search key, so that the others can go',
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
  const hashed = await hashValues(app, {
    onProgress: (done) => out.progress(`${count(done, 'value')} hashed${rateOf(done, begunMs)}`),
    signal,
  });
  const done = `${count(rewrapped, 'data key')}, ${count(resealed, 'sealed value')} and ${count(hashed, 'hashed value')}`;
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
  const hashes =
    hashed > 0 ? ` ${count(hashed, 'value')} can be found by a hash under the first search key now.` : '';
  return { changed: rewrapped + resealed + hashed > 0, sentence: `${keys} ${values}${hashes}` };
}

const sentenceOf = ({ ids }: MasterKeyMissing): string =>
  `Some data keys are wrapped by ${ids.join(', ')}, which PII_ENCRYPTION_KEY does not hold. Put it back, behind the first one.`;
