// The phone's script and styles, as esbuild bundles them: the screens, the client and three small libraries are one module.
import path from 'node:path';
import { type BuildContext, context } from 'esbuild';

const APP = path.resolve(import.meta.dirname, '../app');

let building: Promise<BuildContext> | undefined;

/**
 * Bundles the phone from its files as they are now. esbuild reads only the changed ones again, so a call takes milliseconds.
 * @returns the contents of each file by its name: the script, its source map and the styles.
 * @throws BuildFailure if a file cannot be read or has an error of syntax.
 */
export async function bundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  building ??= context({
    entryPoints: { phone: path.join(APP, 'main.ts'), styles: path.join(APP, 'styles/phone.css') },
    bundle: true,
    format: 'esm',
    target: 'es2023',
    sourcemap: 'linked',
    outdir: APP,
    write: false,
    logLevel: 'silent',
  });
  const { outputFiles = [] } = await (await building).rebuild();
  return new Map(outputFiles.map((file) => [path.basename(file.path), file.contents]));
}
