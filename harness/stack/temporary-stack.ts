// A local stack on free ports, whose folder is removed when it stops.
import { freePort } from '../processes/free-port.ts';
import { type LocalStack, type StackOptions, startLocalStack } from './local-stack.ts';

/** @param folder a temporary one (see temporary-folder.ts). */
export async function startTemporaryStack(
  folder: string,
  options: Partial<StackOptions> = {},
): Promise<LocalStack> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  return startLocalStack({ port, sandboxPort, ...options, folder, isTemporary: true });
}
