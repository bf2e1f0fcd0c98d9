// Counts the packages that a production process installs (`npm ci --omit=dev`). Each is code that is trusted with money, and part
// of an image that is pulled at every scaling. docs/performance.md has the figures and their size.
import type { Finding, Project } from './project.ts';

const PRODUCTION_PACKAGES_LIMIT = 175;

export function checkFootprint(
  { packages }: Pick<Project, 'packages'>,
  limit: number = PRODUCTION_PACKAGES_LIMIT,
): Finding {
  const { length } = packages.filter(({ isProduction }) => isProduction);
  const said = `${length} packages in production, of fewer than ${limit}`;
  return {
    said,
    faults: length < limit ? [] : [`${length} packages in production: fewer than ${limit} are allowed`],
  };
}
