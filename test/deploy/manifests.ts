// The Kubernetes manifests as kubectl reads them, checked against the types and schemas that the package kubernetes-models
// generates from Kubernetes' published API.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import { type IJob, Job } from 'kubernetes-models/batch/v1/Job';
import { type INetworkPolicy, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import {
  type IPodDisruptionBudget,
  PodDisruptionBudget,
} from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap, type IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IContainer } from 'kubernetes-models/v1/Container';
import { type ISecret, Secret } from 'kubernetes-models/v1/Secret';
import { type IService, Service } from 'kubernetes-models/v1/Service';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../support/process.ts';

const FOLDER = 'deploy/kubernetes';

/** Each kind of object that the manifests may have, and the module of the package that has its type. */
const kinds = {
  ConfigMap: { model: ConfigMap, from: 'v1' },
  Deployment: { model: Deployment, from: 'apps/v1' },
  Job: { model: Job, from: 'batch/v1' },
  NetworkPolicy: { model: NetworkPolicy, from: 'networking.k8s.io/v1' },
  PodDisruptionBudget: { model: PodDisruptionBudget, from: 'policy/v1' },
  Secret: { model: Secret, from: 'v1' },
  Service: { model: Service, from: 'v1' },
} as const;

export type Manifest =
  | IConfigMap
  | IDeployment
  | IJob
  | INetworkPolicy
  | IPodDisruptionBudget
  | ISecret
  | IService;
/** A pod's container, and the name of the deployment or job that starts it. */
export type Started = { owner: string; container: IContainer };

export const manifestFiles: string[] = readdirSync(path.join(ROOT, FOLDER)).filter((name) =>
  name.endsWith('.yaml'),
);

export const manifests: Manifest[] = manifestFiles.flatMap((name) =>
  parseAllDocuments(readFileSync(path.join(ROOT, FOLDER, name), 'utf8')).map(
    (document) => document.toJS() as Manifest,
  ),
);

export const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata?.name ?? ''}`;

export const ofKind = <Kind extends Manifest['kind']>(kind: Kind): Extract<Manifest, { kind: Kind }>[] =>
  manifests.filter((one): one is Extract<Manifest, { kind: Kind }> => one.kind === kind);

export const started: Started[] = [...ofKind('Deployment'), ...ofKind('Job')].flatMap((one) =>
  (one.spec?.template.spec?.containers ?? []).map((container) => ({
    owner: one.metadata?.name ?? '',
    container,
  })),
);

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
      `export const object${at}: import('kubernetes-models/${kinds[one.kind as keyof typeof kinds].from}/${one.kind}').I${one.kind} = ${JSON.stringify(one)};`,
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
