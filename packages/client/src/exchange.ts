// Sends one call, and turns what arrives into the contract's answer or into one of the two errors.
import { isRefusal, PonteError, PonteUnreachable, type Trail } from './errors.ts';
import type { CallOptions } from './options.ts';
import { requiredFields } from './required-fields.ts';
import { requestIdIn, send, type Transport } from './transport.ts';
import type { AnswerOf } from './types.ts';

/** The names of the schemas that Ponte answers with. */
export type AnswerName = keyof typeof requiredFields;
export type Exchanged = { body: unknown; response: Response; trail: Trail };

/** The result of a call of openapi-fetch. */
type Fetched = { data?: unknown; error?: unknown; response: Response };
/** Passed to openapi-fetch with each call, so that the call knows how its tries ended. */
export type Via = { fetch: (request: Request) => Promise<Response> } & Pick<
  CallOptions,
  'signal' | 'headers'
>;

/** @throws PonteError, PonteUnreachable, or the reason of the call's signal. */
export async function exchange(
  transport: Transport,
  { signal, headers, timeoutMs = transport.timeoutMs }: CallOptions,
  ask: (via: Via) => Promise<Fetched>,
): Promise<Exchanged> {
  const trail: Trail = { idempotencyKey: null, mayHaveActed: false };
  const { data, error, response } = await ask({
    fetch: (request) => send(request, { ...transport, timeoutMs }, trail),
    ...(signal && { signal }),
    ...(headers && { headers }),
  });
  if (response.ok) return { body: data, response, trail };
  // The transport passes on only Ponte's own refusals.
  if (isRefusal(error)) throw new PonteError(response.status, error, trail);
  throw notPontes(response, trail);
}

/** @throws PonteUnreachable if the body is not an answer of Ponte, such as the JSON of a captive portal. */
export function answerIn<Name extends AnswerName>(
  name: Name,
  { body, response, trail }: Exchanged,
): AnswerOf<Name> {
  if (isAnswer(name, body)) return identified(body, response);
  throw notPontes(response, trail);
}

/** @throws PonteUnreachable if the answer is not an empty one of Ponte. */
export function assertEmpty({ response, trail }: Exchanged): void {
  if (response.status !== 204) throw notPontes(response, trail);
}

/** @throws PonteUnreachable if the body is not a list of answers of Ponte. */
export function listIn<Name extends AnswerName>(
  name: Name,
  { body, response, trail }: Exchanged,
): AnswerOf<Name>[] {
  if (Array.isArray(body) && body.every((item): item is AnswerOf<Name> => isAnswer(name, item)))
    return body.map((item) => identified(item, response));
  throw notPontes(response, trail);
}

const requestIds = new WeakMap<object, string | null>();

function identified<Answer extends object>(answer: Answer, response: Response): Answer {
  requestIds.set(answer, requestIdIn(response));
  return answer;
}

/**
 * Returns the id of the request whose answer this is. Support asks for it.
 * @param answer the result of a call, or an item of a list. It must be the object itself, not a copy.
 * @returns null for any other object.
 */
export const requestIdOf = (answer: object): string | null => requestIds.get(answer) ?? null;

const notPontes = ({ url, status }: Response, { idempotencyKey }: Trail): PonteUnreachable =>
  new PonteUnreachable(new Error(`${url} answered ${status}, and not as Ponte does.`), idempotencyKey);

const isAnswer = <Name extends AnswerName>(name: Name, body: unknown): body is AnswerOf<Name> =>
  typeof body === 'object' && body !== null && requiredFields[name].every((field) => field in body);
