// Everything that an app was shown matches the service's rows: every figure in every answer, and a status that the history had by
// then. The last answer must also match the reason and the receipt.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { recordsIn } from '../records.ts';
import type { Sighting } from '../shown.ts';

export function shownAsRecorded(books: Books, check: Check): void {
  const recordOf = recordsIn(books);
  const sentences = createDictionary();
  const { clocksDifferByMs } = books.seen;
  for (const sighting of books.seen.shown.sightings) {
    const { thing, id, userId, status, fields, answeredAt } = sighting;
    const record = recordOf(thing, id);
    check(id, record?.userId === userId, `a ${thing} was shown that is not there`);
    if (!record) continue;
    check(id, differences(fields, record.fixed) === '', `shown ${differences(fields, record.fixed)}`);
    const since = record.statuses.find((one) => one.status === status)?.sinceMs ?? Infinity;
    check(id, since - clocksDifferByMs <= answeredAt, `shown ${status}, which it was not by then`);
    if (!isLastWord(sighting, record, clocksDifferByMs)) continue;
    check(id, differences(fields, record.final) === '', `shown ${differences(fields, record.final)}`);
    if (!('failureReason' in fields)) continue;
    check(
      id,
      sentences.agree(record.failure, fields['failureReason']),
      `${record.failure} has two sentences`,
    );
    check(id, !/usdc|pivot/i.test(String(fields['failureReason'])), 'its reason tells of the pivot');
  }
}

/** Whether the app requested it after the last change of the row, by the clock of any process. */
const isLastWord = (
  { status, sentAt }: Sighting,
  { statuses, lastChangeMs }: { statuses: { status: string }[]; lastChangeMs: number },
  clocksDifferByMs: number,
): boolean => statuses.at(-1)?.status === status && sentAt > lastChangeMs + clocksDifferByMs;

const differences = (shown: Record<string, unknown>, recorded: Record<string, unknown>): string =>
  Object.entries(recorded)
    .filter(([name, value]) => name in shown && shown[name] !== value)
    .map(([name, value]) => `${name} ${String(shown[name])} for ${String(value)}`)
    .join(', ');

/** Codes and sentences correspond one to one, and a row without a code has no sentence. */
function createDictionary() {
  const texts = new Map<unknown, unknown>();
  return {
    agree: (code: string | null, sentence: unknown): boolean => {
      if (code === null || sentence === null) return code === sentence;
      if (!texts.has(`code ${code}`)) texts.set(`code ${code}`, sentence);
      if (!texts.has(sentence)) texts.set(sentence, code);
      return texts.get(`code ${code}`) === sentence && texts.get(sentence) === code;
    },
  };
}
