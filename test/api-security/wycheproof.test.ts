// Wycheproof's vectors for JSON Web Signatures, at both verifiers: an invalid signature is never accepted. The vectors have
// none of the service's claims, so a token with an accepted signature is refused for its claims. This distinguishes the two
// refusals.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors, type JWK, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/domain/clock.ts';
import { createIdTokens } from '../../src/security/id-token.ts';
import { createSessionTokens } from '../../src/security/session-token.ts';
import { isCompact } from '../../src/security/token-rules.ts';
import { createLog } from '../../src/start/log.ts';
import vectors from './wycheproof/json-web-signature.json' with { type: 'json' };

type Vector = [number: number, result: 'valid' | 'invalid', comment: string, jws: string];
type Group = { name: string; key: JWK & { k?: string }; tests: Vector[] };

const groups = vectors as unknown as Group[];
/** Returns whether the vectors are signed with a secret, as sessions are. All others have a published key, as ID tokens do. */
const isSecret = ({ key }: Group): boolean => key.kty === 'oct';

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer(({ url }, response) => {
    const { key } = groups[Number(url?.slice(1))] as Group;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [key] }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

type Judged = 'signature taken' | 'refused' | 'accepted';

/** Verifies a token as a sign-in does, with the fetched key set. */
function idTokenJudge(at: number): (jws: string) => Promise<Judged> {
  const provider = { issuers: ['https://issuer.example'], audiences: ['ponte'], jwksUrl: `${base}/${at}` };
  const { verify } = createIdTokens(
    { identity_provider_a: provider, identity_provider_b: provider },
    systemClock,
    createLog('info', { write: () => undefined }),
  );
  return (jws) =>
    verify('identity_provider_a', jws).then(
      () => 'accepted',
      ({ code, cause }: { code: string; cause: unknown }) => {
        // Any other code would mean that the token could not be handled.
        expect(code).toBe('invalid_id_token');
        return stage(cause);
      },
    );
}

/**
 * Verifies a token as a session. The verifier gives no reason, so the library verifies it once more to say where it was
 * refused.
 */
async function sessionJudge({ key }: Group): Promise<(jws: string) => Promise<Judged>> {
  const secret = Buffer.from(key.k ?? '', 'base64url');
  const sessions = await createSessionTokens(
    { secrets: [secret as unknown as string], ttlSeconds: 60 },
    systemClock,
  );
  return async (jws) => {
    if ((await sessions.verify(jws)) !== null) return 'accepted';
    if (!isCompact(jws)) return 'refused';
    return jwtVerify(jws, secret, { algorithms: ['HS256'] }).then(() => 'signature taken' as const, stage);
  };
}

/** The stage at which a token was refused. Claims are checked only if the signature is valid. */
const stage = (cause: unknown): Judged =>
  cause instanceof errors.JWTInvalid || cause instanceof errors.JWTClaimValidationFailed
    ? 'signature taken'
    : 'refused';

/** The corrected results of vectors whose stated result is wrong, with the reason. */
const corrected = new Map<number, Judged>([
  // These are byte for byte the valid vector 357: the intended fault was lost (C2SP/wycheproof, issue 236).
  [367, 'signature taken'],
  [370, 'signature taken'],
  // These are called valid. Without a payload there are no claims, and `?` is not base64url (RFC 7515, 2), though decoders skip
  // it.
  [259, 'refused'],
  [372, 'refused'],
  [373, 'refused'],
]);

/** Returns whether the service uses the algorithm. Signatures with other algorithms are refused, even if they are valid. */
const isOurs = ({ key }: Group): boolean => ['RS256', 'ES256', 'HS256'].includes(key.alg ?? '');

const expected = (group: Group, [number, result]: Vector): Judged =>
  corrected.get(number) ?? (result === 'valid' && isOurs(group) ? 'signature taken' : 'refused');

describe.each(
  groups.map((group, at) => ({ title: `${at + 1}: ${group.name}, ${group.key.alg}`, group, at })),
)('group $title', ({ group, at }) => {
  test.each(group.tests)('vector %i, which is %s, is judged as expected: %s', async (...vector) => {
    const judge = isSecret(group) ? await sessionJudge(group) : idTokenJudge(at);
    expect(await judge(vector[3])).toBe(expected(group, vector));
  });
});

test('all 401 vectors are there, and both verifiers accept some signatures', () => {
  const numbers = groups.flatMap(({ tests }) => tests.map(([number]) => number));
  expect(new Set(numbers).size).toBe(401);
  for (const kind of [true, false]) {
    const own = groups.filter((group) => isSecret(group) === kind);
    expect(own.flatMap((group) => group.tests.map((one) => expected(group, one)))).toContain(
      'signature taken',
    );
  }
});
