// Draws the diagram at the beginning of the reference: what an app calls, in order, and what happens in between.
import { svg } from './svg.ts';

const steps = [
  ['Sign in', 'POST /auth/session'],
  ['Choose the currency', 'PATCH /me'],
  ['Verify', 'POST /kyc/start, GET /kyc/status'],
  ['Deposit', 'GET /me'],
  ['Price', 'POST /pix/quote (60 s)'],
  ['Confirm', 'POST /pix/payments'],
  ['Follow', 'GET /pix/payments/{id}'],
] as const;

const WIDTH = 340;
const STEP = 50;

export function drawJourney(): string {
  const parts = steps.flatMap(([title, call], index) => {
    const y = 14 + index * STEP;
    const line = `<path class="line" d="M34 ${y + 30}V${y + STEP - 1}" marker-end="url(#head)"/>`;
    return [
      `<circle class="box" cx="34" cy="${y + 16}" r="14"/><text x="34" y="${y + 20}">${index + 1}</text>`,
      `<text class="label" x="62" y="${y + 12}" style="text-anchor:start">${title}</text>`,
      `<text x="62" y="${y + 28}" style="text-anchor:start">${call}</text>`,
      ...(index < steps.length - 1 ? [line] : []),
    ];
  });
  return `${svg('The journey, from signing in to a payment', WIDTH, 14 + steps.length * STEP, parts)}\n`;
}
