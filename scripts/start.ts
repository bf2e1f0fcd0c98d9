// `npm start`: runs everything on this machine, and keeps the data in .data/ (or DATA_FOLDER) between runs.
import { fileURLToPath } from 'node:url';
import { type LocalStack, sandboxWithPhone, startLocalStack } from '../harness/stack/local-stack.ts';
import { onceToEnd } from './ending.ts';
import { showSteps } from './steps.ts';

const folder = process.env['DATA_FOLDER'] || fileURLToPath(new URL('../.data', import.meta.url));

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
const steps = showSteps(process.stdout);
try {
  const [port, sandboxPort] = [portIn('PORT', 3000), portIn('SANDBOX_PORT', 4010)];
  if (port === sandboxPort)
    throw new Error(`PORT and SANDBOX_PORT are both ${port}: the API and the sandbox need one each`);
  const options = { folder, port, sandboxPort, ...sandboxWithPhone(port, sandboxPort) };
  stack = await startLocalStack({ ...options, onStep: steps.next });
  steps.end();
  console.log(`
Ponte is ready. Ctrl-C stops it.

  the phone       ${stack.sandboxUrl}/phone/   (the app, to try everything by hand)
  the console     ${stack.sandboxUrl}/console   (users, payments and callbacks, and how they end)
  the sandbox     ${stack.sandboxUrl}   (deposits, sign-in tokens, magic values)
  the reference   ${stack.url}/docs   (the API, which programs call at ${stack.url})
  the contract    ${stack.url}/openapi.json

  database        ${stack.databaseUrl}
  data            ${folder}

  npm run demo    runs the whole client journey against it.
`);
  void stack.broken.then((part) => {
    if (isStopping) return;
    console.error(`The ${part} ended; stopping the rest.`);
    return stop(1);
  });
} catch (error) {
  steps.end();
  console.error(`Ponte could not start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

/** @throws if the variable is not a valid port. */
function portIn(name: string, otherwise: number): number {
  const text = process.env[name]?.trim() || String(otherwise);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Error(`${name} is "${text}": it must be a number from 1 to 65535`);
  return port;
}
