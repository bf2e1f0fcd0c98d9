// `npm start`: runs everything on this machine, and keeps the data in .data/ (or DATA_FOLDER) between runs.
import { fileURLToPath } from 'node:url';
import { onceToEnd } from './ending.ts';
import { type LocalStack, sandboxWithPhone, startLocalStack } from './local-stack.ts';

const port = Number(process.env['PORT'] ?? 3000);
const sandboxPort = Number(process.env['SANDBOX_PORT'] ?? 4010);
const folder = process.env['DATA_FOLDER'] ?? fileURLToPath(new URL('../.data', import.meta.url));

let stack: LocalStack | null = null;
let isStopping = false;
// Started parts are stopped in order. Parts that are still starting end by themselves (see caretaker.ts).
const stop = async (code: number): Promise<void> => {
  isStopping = true;
  await stack?.stop();
  process.exit(code);
};
onceToEnd((code) => void stop(code));

console.log(`Preparing Ponte in ${folder} ...`);
try {
  stack = await startLocalStack({ folder, port, sandboxPort, ...sandboxWithPhone(port, sandboxPort) });
  console.log(`
Ponte is ready.

  API             ${stack.url}
  contract        ${stack.url}/openapi.json
  database        ${stack.databaseUrl}
  data            ${folder}

  npm run demo    runs the whole client journey against it. Ctrl-C stops it.

  the phone       ${stack.sandboxUrl}/phone/   (the app, to try everything by hand)
  the console     ${stack.sandboxUrl}/console   (users, payments and callbacks, and how they end)
  the sandbox     ${stack.sandboxUrl}   (deposits, sign-in tokens, magic values)
  the reference   ${stack.url}/docs
`);
  void stack.broken.then((part) => {
    if (isStopping) return;
    console.error(`The ${part} ended; stopping the rest.`);
    return stop(1);
  });
} catch (error) {
  console.error(`Ponte could not start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
