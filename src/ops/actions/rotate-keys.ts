// Wraps every data key by the first master key, so that the others can be taken out of the configuration.
import { auditOperator } from '../../audit/operator.ts';
import { MasterKeyMissing, rewrapDataKeys } from '../../sealing/rotate.ts';
import { type Call, OpsFailure } from '../command.ts';
import { count } from '../format.ts';
import { printResult } from './print-result.ts';

export async function run({ app, out, operator, reason, signal }: Call): Promise<void> {
  const { masterKeys } = app.config;
  const first = masterKeys[0]?.id ?? '';
  const record = { operator, reason, action: 'keys rotate', target: first, userId: null };
  await auditOperator(app.db, { ...record, now: app.clock.now() });
  const begunMs = performance.now();
  const rewrapped = await rewrapDataKeys(app.db, masterKeys, {
    onProgress: (many) => out.progress(`${count(many, 'data key')} rewrapped${rateOf(many, begunMs)}`),
    signal,
  }).catch((error: unknown) => {
    throw error instanceof MasterKeyMissing ? new OpsFailure(sentenceOf(error)) : error;
  });
  if (signal.aborted)
    throw new OpsFailure(`Interrupted after ${count(rewrapped, 'data key')}. The same call continues.`);
  printResult(
    out,
    rewrapped > 0
      ? { changed: true, sentence: `${count(rewrapped, 'data key')} are wrapped by ${first} now.` }
      : { changed: false, sentence: `Every data key is wrapped by ${first} already.` },
  );
}

const rateOf = (many: number, begunMs: number): string =>
  `, ${Math.round((many * 1_000) / Math.max(1, performance.now() - begunMs))} a second`;

const sentenceOf = ({ ids }: MasterKeyMissing): string =>
  `Some data keys are wrapped by ${ids.join(', ')}, which PII_ENCRYPTION_KEY does not hold. Put it back, behind the first one.`;
