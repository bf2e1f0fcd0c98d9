// `npm run trace:payment` prints the functions that one `POST /pix/payments` runs, by file. With --whole, it prints the functions
// of a payment from its request to its completion, together with recurring work in between.
import { readFileSync } from 'node:fs';
import { countFunctions } from './trace/functions-run.ts';

const take = await countFunctions();
const { tracePayments } = await import('./trace/payments.ts');
const runs = await tracePayments(take, process.argv.includes('--whole'));

const rooms = roomsInOrder();
const files = [...Map.groupBy(runs, ({ file }) => file)].toSorted(
  ([a], [b]) => rooms.indexOf(roomOf(a)) - rooms.indexOf(roomOf(b)) || (a < b ? -1 : 1),
);
console.log(
  'Files in the order of the rooms (docs/architecture.md), functions by their position in the file.\n',
);
for (const [file, functions] of files) {
  const names = functions.toSorted((a, b) => a.start - b.start).map(({ name }) => name);
  console.log(`${file}: ${names.join(', ')}`);
}
console.log(`\n${runs.length} functions in ${files.length} files`);

/** Returns the rooms of docs/architecture.md. A file outside of them, such as in `openapi/`, comes first. */
function roomsInOrder(): string[] {
  const text = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split('\n## The rooms\n');
  return [...section.matchAll(/^\| `(?<room>[\w.]+)`/gm)].map(({ groups = {} }) => groups['room'] ?? '');
}

function roomOf(file: string): string {
  const [folder = '', room = ''] = file.split('/');
  return folder === 'src' ? room : folder;
}
