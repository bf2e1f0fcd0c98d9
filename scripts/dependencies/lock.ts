// The type of the lock file, as npm writes it.

export type LockEntry = {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: unknown;
  dev?: boolean;
  /** A development dependency that is an optional peer of a production package: npm installs it in production. */
  devOptional?: boolean;
  engines?: unknown;
  optional?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};

export type Lock = { lockfileVersion: number; packages: Record<string, LockEntry> };
