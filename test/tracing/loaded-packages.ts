// Starts and stops the service of the environment, and prints the packages of OpenTelemetry that the process has loaded.
import { registerHooks } from 'node:module';

const packages = new Set<string>();
registerHooks({
  load: (url, context, next) => {
    const [, name] = /node_modules\/@opentelemetry\/([\w-]+)\//.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return next(url, context);
  },
});
const { readConfig } = await import('../../src/start/config.ts');
const { createLog } = await import('../../src/start/log.ts');
const { startService } = await import('../../src/start/start-service.ts');
const service = await startService(readConfig(process.env), { log: createLog('silent') });
await service.stop();
console.log(JSON.stringify([...packages].toSorted()));
