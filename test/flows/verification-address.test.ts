// The app opens the address of the verification page in a browser, so the page must use TLS or be on this machine.
import { beforeAll, expect, test } from 'vitest';
import { must, type Person, passVerification, refusalIn, signUp } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

let ada: Person;

const { world, proxy } = useWorld({ proxy: true });

beforeAll(async () => {
  ada = await signUp(world);
});

const start = () => ada.api.POST('/kyc/start', {});
const sentTo = (address: string) =>
  proxy.lie({
    change: (truth) => ({ ...truth, ...('verification_url' in truth && { verification_url: address }) }),
  });

test.for([
  'http://verify.example.com/x',
  'http://localhost.example.com/x',
  'http://127.0.0.1.example.com/x',
  'http://10.0.0.1/x',
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'intent://verify.example.com/#Intent;scheme=https;end',
  'ponte://verify',
  'https://bank.example.com@verify.example.org/x',
  'https://:word@verify.example.com/x',
  'https://verify.example.com\\@verify.example.org/x',
  'https://verify.example.com/\nx',
])('no user is sent to %s: the answer is 502, and the request can be repeated', async (address) => {
  const lie = sentTo(address);
  expect(refusalIn(await start())).toEqual([502, 'provider_unavailable']);
  expect(lie.hits()).toBeGreaterThan(0);
  lie.heal();
  expect(must(await start())).toMatchObject({ status: 'pending' });
});

test.for([
  'https://verify.example.com/x?y=z',
  'http://localhost:4010/verify/x',
  'http://[::1]:4010/verify/x',
])('a user may be sent to %s', async (address) => {
  const lie = sentTo(address);
  expect(must(await start()).verificationUrl).toBe(address);
  lie.heal();
});

test('no user who tries again is sent to a harmful page either', async () => {
  const eve = await signUp(world);
  await passVerification(eve, 'Eve Fail');
  await until(
    () => eve.ponte.verification(),
    ({ status }) => status === 'failed',
  );
  const restart = () => eve.api.POST('/kyc/restart', {});
  const lie = sentTo('javascript:alert(1)');
  expect(refusalIn(await restart())).toEqual([502, 'provider_unavailable']);
  expect(refusalIn(await restart())).toEqual([502, 'provider_unavailable']);
  lie.heal();
  expect(must(await restart())).toMatchObject({ status: 'pending' });
});
