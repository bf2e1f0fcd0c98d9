// The Kubernetes manifests as kubectl reads and renders them, checked against the types and schemas that the packages
// kubernetes-models and @kubernetes-models/prometheus-operator generate from the published APIs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type IPodMonitor,
  PodMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import {
  HorizontalPodAutoscaler,
  type IHorizontalPodAutoscaler,
} from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { type IJob, Job } from 'kubernetes-models/batch/v1/Job';
import { type INetworkPolicy, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import {
  type IPodDisruptionBudget,
  PodDisruptionBudget,
} from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { type IRole, Role } from 'kubernetes-models/rbac.authorization.k8s.io/v1/Role';
import { ConfigMap, type IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IContainer } from 'kubernetes-models/v1/Container';
import { type INamespace, Namespace } from 'kubernetes-models/v1/Namespace';
import { type IPod, Pod } from 'kubernetes-models/v1/Pod';
import { type ISecret, Secret } from 'kubernetes-models/v1/Secret';
import { type IService, Service } from 'kubernetes-models/v1/Service';
import { type IServiceAccount, ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import { leaveOut } from '../../scripts/unchecked.ts';
import { ROOT } from '../support/process.ts';

const FOLDER = 'deploy/kubernetes';

/** Each kind of object that the manifests may have, and the module of the packages that has its type. */
const kinds = {
  ConfigMap: { model: ConfigMap, from: 'kubernetes-models/v1' },
  Deployment: { model: Deployment, from: 'kubernetes-models/apps/v1' },
  HorizontalPodAutoscaler: { model: HorizontalPodAutoscaler, from: 'kubernetes-models/autoscaling/v2' },
  Job: { model: Job, from: 'kubernetes-models/batch/v1' },
  Namespace: { model: Namespace, from: 'kubernetes-models/v1' },
  NetworkPolicy: { model: NetworkPolicy, from: 'kubernetes-models/networking.k8s.io/v1' },
  Pod: { model: Pod, from: 'kubernetes-models/v1' },
  PodDisruptionBudget: { model: PodDisruptionBudget, from: 'kubernetes-models/policy/v1' },
  PodMonitor: { model: PodMonitor, from: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1' },
  Role: { model: Role, from: 'kubernetes-models/rbac.authorization.k8s.io/v1' },
  Secret: { model: Secret, from: 'kubernetes-models/v1' },
  Service: { model: Service, from: 'kubernetes-models/v1' },
  ServiceAccount: { model: ServiceAccount, from: 'kubernetes-models/v1' },
} as const;

export type Manifest =
  | IConfigMap
  | IDeployment
  | IHorizontalPodAutoscaler
  | IJob
  | INamespace
  | INetworkPolicy
  | IPod
  | IPodDisruptionBudget
  | IPodMonitor
  | IRole
  | ISecret
  | IService
  | IServiceAccount;
/** A pod's container, and the name of the deployment or job that starts it. */
export type Started = { owner: string; container: IContainer };

const pathOf = (file: string): string => path.join(ROOT, FOLDER, file);
const objectsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);
export const objectsOf = (file: string): Manifest[] => objectsIn(readFileSync(pathOf(file), 'utf8'));

/** The objects of the base, before an overlay changes them. */
export const base: Manifest[] = (
  parse(readFileSync(pathOf('base/kustomization.yaml'), 'utf8')) as { resources: string[] }
).resources.flatMap((file) => objectsOf(`base/${file}`));

export const secrets: Manifest[] = objectsOf('secrets.example.yaml');

export const overlays = ['staging', 'production'] as const;
export type Overlay = (typeof overlays)[number];

/** The objects of each overlay as `kubectl kustomize` renders them. Null: this machine cannot render them. */
export const rendered: Record<Overlay, Manifest[]> | null = render();

/** Everything that the tests look at: the base always, and each overlay if this machine renders it. */
export const installations: [name: string, objects: Manifest[]][] = [
  ['base', base],
  ...Object.entries(rendered ?? {}),
];

function render(): Record<Overlay, Manifest[]> | null {
  const version = kubectl('version', '--client');
  // kubectl has had a kustomize that knows the fields of the overlays since 1.22.
  const [, major = 0, minor = 0] = /^Client Version:.*?\bv(\d+)\.(\d+)\./m.exec(version ?? '') ?? [];
  if (Number(major) < 1 || (Number(major) === 1 && Number(minor) < 22)) {
    leaveOut('kubectl', 'NOT CHECKED: the overlays of deploy/kubernetes. They need kubectl 1.22 or newer.');
    return null;
  }
  const objects = (overlay: Overlay): Manifest[] => renderedFrom(pathOf(`overlays/${overlay}`));
  return { staging: objects('staging'), production: objects('production') };
}

/** @returns the objects of a folder as `kubectl kustomize` renders them. */
export function renderedFrom(folder: string): Manifest[] {
  return objectsIn(kubectl('kustomize', folder) ?? '');
}

/** @returns what kubectl prints, or null if this machine has none. @throws if kubectl fails. */
function kubectl(...options: string[]): string | null {
  try {
    return execFileSync('kubectl', options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata?.name ?? ''}`;

export const ofKind = <Kind extends Manifest['kind']>(
  objects: readonly Manifest[],
  kind: Kind,
): Extract<Manifest, { kind: Kind }>[] =>
  objects.filter((one): one is Extract<Manifest, { kind: Kind }> => one.kind === kind);

export const startedBy = (objects: readonly Manifest[]): Started[] =>
  [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')].flatMap((one) =>
    (one.spec?.template.spec?.containers ?? []).map((container) => ({
      owner: one.metadata?.name ?? '',
      container,
    })),
  );

/** @returns the values of a ConfigMap or Secret. */
export const valuesOf = (objects: readonly Manifest[], name: string): Record<string, string> =>
  ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata?.name === name)?.data ??
  ofKind(objects, 'Secret').find(({ metadata }) => metadata?.name === name)?.stringData ??
  {};

/** @returns what the schema of an object's kind refuses. The schema accepts fields that it does not know. */
export function schemaFaults(manifest: object & { kind?: string }): string[] {
  const model = kinds[manifest.kind as keyof typeof kinds]?.model as
    | (new (
        data: object,
      ) => { validate: () => void })
    | undefined;
  if (model === undefined) return [`the kind ${manifest.kind} is not known here`];
  try {
    new model(manifest).validate();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * Compiles the objects as literals of their types, which refuses unknown fields and unlisted values.
 * @returns the compiler's messages.
 */
export function typeFaults(objects: readonly { kind: string }[]): string[] {
  const file = path.join(ROOT, 'test/deploy/compiled-manifests.ts');
  const lines = objects.map(
    (one, at) =>
      `export const object${at}: import('${kinds[one.kind as keyof typeof kinds].from}/${one.kind}').I${one.kind} = ${JSON.stringify(one)};`,
  );
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const inMemory: ts.CompilerHost = {
    ...host,
    fileExists: (name) => name === file || host.fileExists(name),
    getSourceFile: (name, target) =>
      name === file ? ts.createSourceFile(name, lines.join('\n'), target) : host.getSourceFile(name, target),
  };
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, inMemory))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
