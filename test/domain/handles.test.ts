import { expect, test } from 'vitest';
import { chargeClaimId, type HandlePurpose, handleFor, handlePurposes } from '../../src/domain/handles.ts';

const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const otherId = '01890a5d-ac96-774b-bcce-b302099a8058';

// A release that changes these handles would request everything in progress a second time.
test.each<[HandlePurpose, string]>([
  ['payout', '03925384-2ed5-576c-852f-aa4824fd9142'],
  ['conversion-leg1', '4e231346-fbfb-5766-8f07-322aefb7f46b'],
])('the handle of a %s is the same in every release', (purpose, handle) => {
  expect(handleFor(id, purpose)).toBe(handle);
});

test('no two purposes or owners share a handle', () => {
  const handles = [id, otherId].flatMap((owner) =>
    handlePurposes.map((purpose) => handleFor(owner, purpose)),
  );
  expect(new Set(handles).size).toBe(2 * handlePurposes.length);
});

// A release that changes these ids would let a second payment claim a charge that is being paid.
test.each([
  [0, id],
  [1, '40c80d26-73bb-5511-9018-509f63582323'],
])('the id of claim %i of a charge is the same in every release', (turn, claim) => {
  expect(chargeClaimId(id, turn)).toBe(claim);
});
