// A flood of forged sign-ins during an outage of the identity provider: its cost for the provider, for the log and for other
// users.
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { call, faultIn } from '../support/http.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { useWorld } from '../support/use-world.ts';
import { forge } from './forge.ts';
import { settingsOf, startIssuer } from './issuer.ts';

const COOL_DOWN_MS = 30_000;
const FORGED = 616;

const issuer = await startIssuer('com.example.ponte');
const { world } = useWorld({ env: settingsOf('A', issuer) });
afterAll(() => issuer.stop());

const signIn = (idToken: string) =>
  call(world, 'POST', '/auth/session', { json: { provider: 'identity_provider_a', idToken } });

/** The log lines at the usual level. */
const linesLogged = (): string[] =>
  capturedAt('the log')
    .split('\n')
    .filter((line) => /"level":"(info|warn|error)"/.test(line));

const isRefusal = (line: string): boolean => line.includes('"code":"request.answered"');

test('616 forged tokens cost one fetch and one line about it for each cool-down, and honest sign-ins succeed', async () => {
  expect((await signIn(forge(issuer.base()))).status).toBe(200);
  issuer.fail(true);
  world.clock.advance(600_001);
  const [askedBefore, linesBefore] = [issuer.requestCount(), linesLogged().length];
  const begunAtMs = performance.now();
  for (let sent = 0; sent < FORGED; sent += 56) {
    const forged = Array.from({ length: 56 }, () => forge(issuer.base(), { header: { kid: randomUUID() } }));
    for (const answer of await Promise.all(forged.map(signIn)))
      expect(faultIn(answer)).toEqual([502, 'identity_provider_unavailable']);
  }
  const coolDowns = 1 + Math.floor((performance.now() - begunAtMs) / COOL_DOWN_MS);
  const fetches = issuer.requestCount() - askedBefore;
  expect(fetches).toBeGreaterThan(0);
  expect(fetches).toBeLessThanOrEqual(coolDowns);
  const lines = linesLogged().slice(linesBefore);
  for (const line of lines) expect(line.length).toBeLessThan(500);
  // Each refusal has its own line. The fault behind them is logged once for each fetch.
  const [refusals, faults] = [lines.filter(isRefusal), lines.filter((line) => !isRefusal(line))];
  expect(refusals).toHaveLength(FORGED);
  expect(faults).toHaveLength(fetches);
  expect((await signIn(forge(issuer.base()))).status).toBe(200);
});
