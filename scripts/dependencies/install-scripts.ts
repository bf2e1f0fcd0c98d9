// A package's install script runs with all rights of the installing user. Each such package is declared with a reason, and
// package.json tells npm the same.
import { installScripts, type ScriptRule } from './policy.ts';
import type { Finding, Manifest, Project } from './project.ts';

export function checkInstallScripts(
  { manifest, packages, installed }: Project,
  rules: Readonly<Record<string, ScriptRule>> = installScripts,
): Finding {
  const scripted = new Set(
    packages
      .filter(({ place, hasInstallScript }) => hasInstallScript === true || runsScript(installed(place)))
      .map(({ name }) => name),
  );
  const allowed = manifest.allowScripts ?? {};
  const faults = [
    ...[...scripted]
      .filter((name) => rules[name] === undefined)
      .map((name) => `${name} runs a script when it is installed, and is not declared`),
    ...Object.keys(rules)
      .filter((name) => !scripted.has(name))
      .map((name) => `${name} is declared, and has no install script (any more)`),
    ...Object.entries(rules)
      .filter(([, { why }]) => why.trim() === '')
      .map(([name]) => `${name} is declared without a reason`),
    ...Object.entries(rules)
      .filter(([name, { runs }]) => allowed[name] !== runs)
      .map(([name, { runs }]) => `allowScripts in package.json must have "${name}": ${runs}`),
    ...Object.keys(allowed)
      .filter((name) => rules[name] === undefined)
      .map((name) => `allowScripts in package.json has ${name}, which is not declared`),
  ];
  const running = Object.values(rules).filter(({ runs }) => runs).length;
  return { said: `${scripted.size} packages have one, all declared; ${running} of them may run`, faults };
}

const runsScript = (manifest: Manifest | null): boolean =>
  ['preinstall', 'install', 'postinstall'].some((name) => manifest?.scripts?.[name] !== undefined);
