// The compose file as Docker Compose reads it: anchors merged, and each variable with its default.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export type ComposeService = {
  image: string;
  /** The service starts only where one of these is asked for. */
  profiles?: string[];
  build?: { target: string };
  pull_policy?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  mem_limit?: string;
  pids_limit?: number;
  restart?: string;
  stop_grace_period?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string }>;
};

const text = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');

/** @param variables values for the variables of the file. The others have their defaults. */
export function composeServices(variables: Record<string, string> = {}): Record<string, ComposeService> {
  const filled = text.replaceAll(
    /\$\{(?<name>\w+):-(?<otherwise>[^}]*)\}/g,
    (_match, name: string, otherwise: string) => variables[name] ?? otherwise,
  );
  return (parse(filled, { merge: true }) as { services: Record<string, ComposeService> }).services;
}
