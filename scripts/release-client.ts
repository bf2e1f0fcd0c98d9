// `npm run release:client`: packs the client, checks the package, and prints the command that publishes it. It publishes nothing.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { faultsInFields, faultsInPackage, packClient } from './client-package.ts';

const root = path.resolve(import.meta.dirname, '..');
const publisher = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Record<
  string,
  unknown
>;

const missing = faultsInFields(publisher);
if (missing.length > 0) end(['Say in package.json who publishes the client:', ...missing].join('\n  '));

const file = await packClient(publisher, path.join(root, 'build'));
const faults = await faultsInPackage(file);
if (faults.length > 0) end(['The package is not fit to be published.', ...faults].join('\n\n'));

console.log(`The package is ready, and nothing was published. This command publishes it:

  npm publish ./${path.relative(root, file)}`);

function end(why: string): never {
  console.error(why);
  process.exit(1);
}
