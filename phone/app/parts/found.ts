// Searches the movements that the phone has read. Ponte stores names sealed, so only the phone can search for them.
import { containsWords } from '../contains-words.ts';
import { formatMinor } from '../money.ts';
import type { Moved } from '../state/movements.ts';
import { nameOfType, saidOfMovement } from './statuses.ts';

/** Returns whether a movement shows the words that a person looks for. */
export const isFound = (moved: Moved, wanted: string): boolean => containsWords(textsOf(moved), wanted);

function textsOf(moved: Moved): string[] {
  const { type, counterparty, sourceAmount, sourceCurrency, destAmount, destCurrency } = moved.transaction;
  const { name = null, account = null, reference = null } = counterparty ?? {};
  const amounts = [formatMinor(sourceAmount, sourceCurrency)];
  if (destAmount !== null && destCurrency !== null) amounts.push(formatMinor(destAmount, destCurrency));
  const texts = [name, account, reference].filter((one) => one !== null);
  return [...texts, nameOfType(type), saidOfMovement(moved).title, ...amounts];
}
