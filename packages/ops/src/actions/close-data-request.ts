// Closes a data subject's request after it has been answered.
import { closeRequest, NoSuchRequest } from '../../../../src/privacy/answer-data-request.ts';
import { type CommandCall, type CommandSpec, OpsFailure } from '../command.ts';
import { printResult } from '../output.ts';

export const dataRequestsCloseCommand: CommandSpec = {
  name: 'data-requests close',
  summary: 'close a request; the reason says how it was answered',
  argument: { name: 'requestId', form: 'uuid' },
  run,
};

async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const closed = await closeRequest(app, id, { operator, reason }).catch(notFound);
  printResult(
    out,
    closed
      ? { changed: true, sentence: 'The request is closed; the audit record has your reason.' }
      : { changed: false, sentence: 'The request was closed before.' },
  );
}

/**
 * Converts `NoSuchRequest` to a failure of the command.
 * @throws OpsFailure if the request does not exist, otherwise the given error.
 */
export function notFound(error: unknown): never {
  throw error instanceof NoSuchRequest ? new OpsFailure(error.message) : error;
}
