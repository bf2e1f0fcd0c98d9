// `npm start`: everything on this machine, with its data kept under .data/ from one run to the next.
import { fileURLToPath } from 'node:url';
import { startLocalStack } from './local-stack.ts';

const port = Number(process.env['PORT'] ?? 3000);
const sandboxPort = Number(process.env['SANDBOX_PORT'] ?? 4010);
const folder = fileURLToPath(new URL('../.data', import.meta.url));

try {
  const stack = await startLocalStack({ folder, port, sandboxPort });
  console.log(`
Ponte is ready.

  API             ${stack.url}
  documentation   ${stack.url}/docs
  contract        ${stack.url}/openapi.json
  sandbox         ${stack.sandboxUrl}   (deposits, sign-in tokens, magic values)
  database        ${stack.databaseUrl}
  data            ${folder}

  npm run demo    walks the whole journey against it. Ctrl-C stops it.
`);
  let isStopping = false;
  const stop = async (code: number): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await stack.stop();
    process.exit(code);
  };
  process.once('SIGINT', () => void stop(0));
  process.once('SIGTERM', () => void stop(0));
  void stack.broken.then((part) => {
    if (isStopping) return;
    console.error(`The ${part} ended; stopping the rest.`);
    return stop(1);
  });
} catch (error) {
  console.error(`Ponte could not start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
