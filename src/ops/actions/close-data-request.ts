// Takes a data subject's request off the list, once it has been answered.
import { closeRequest, NoSuchRequest } from '../../privacy/answer-data-request.ts';
import { type Call, OpsFailure } from '../command.ts';
import { printResult } from './result.ts';

export async function run({ app, out, argument: id, operator, reason }: Call): Promise<void> {
  const closed = await closeRequest(app, id, { operator, reason }).catch(notFound);
  printResult(
    out,
    closed
      ? { changed: true, sentence: 'It is off the list; what you did about it is in the audit record.' }
      : { changed: false, sentence: 'It was closed before.' },
  );
}

/** @throws what it is given: as a sentence, where that is all there is to say. */
export function notFound(error: unknown): never {
  throw error instanceof NoSuchRequest ? new OpsFailure(error.message) : error;
}
