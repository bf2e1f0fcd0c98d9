// The diagrams of the reference, by the name under which /docs/diagrams/ serves them.
import { kycMachine } from '../../machines/kyc.machine.ts';
import { pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import { drawJourney } from './journey.ts';
import { publicStatesOf } from './public-states.ts';
import { drawStates } from './svg.ts';

export const diagrams: Record<string, () => string> = {
  journey: drawJourney,
  payment: () => drawStates('The statuses of a payment', publicStatesOf(pixPaymentMachine)),
  withdrawal: () => drawStates('The statuses of a withdrawal', publicStatesOf(withdrawMachine)),
  verification: () => drawStates('The statuses of an identity check', publicStatesOf(kycMachine)),
};
