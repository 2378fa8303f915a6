import * as pulumi from '@pulumi/pulumi';
import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { nearMiss, whatIs } from '../base/properties.js';
import { withInputErrors } from './input-errors.js';

/** Options of resources; Pulumi passes over any other name without a word. */
const RESOURCE_OPTIONS: Readonly<Record<Exclude<keyof pulumi.ComponentResourceOptions, 'id' | 'urn'>, true>> = {
  aliases: true,
  customTimeouts: true,
  deletedWith: true,
  dependsOn: true,
  envVarMappings: true,
  hideDiffs: true,
  hooks: true,
  ignoreChanges: true,
  parent: true,
  pluginDownloadURL: true,
  protect: true,
  provider: true,
  providers: true,
  replaceOnChanges: true,
  replacementTrigger: true,
  replaceWith: true,
  retainOnDelete: true,
  transformations: true,
  transforms: true,
  version: true,
};

const BY_TRANSFORM = (name: string): string =>
  `write it for one resource, with transforms: [({ props, opts }) => ({ props, opts: { ...opts, ${name}: … } })]`;

/** Options that Pulumi takes for a component, and passes to nothing in it; and those of other resources, which TypeScript refuses. */
const UNHEEDED: Readonly<Record<string, string>> = {
  version: 'give the version of the provider to a k8s.Provider, and write { provider: it }',
  pluginDownloadURL: 'give it to a k8s.Provider, and write { provider: it }',
  replaceOnChanges: BY_TRANSFORM('replaceOnChanges'),
  deleteBeforeReplace: BY_TRANSFORM('deleteBeforeReplace'),
  additionalSecretOutputs: BY_TRANSFORM('additionalSecretOutputs'),
  import: BY_TRANSFORM('import'),
};

/** What to say of the options of a component that have no effect; of most components nothing. */
export function unheededOptions(options: object | undefined): EdgeWarning[] {
  return Object.keys(options ?? {})
    .filter((name) => Object.hasOwn(UNHEEDED, name) && (options as Record<string, unknown>)[name] !== undefined)
    .map((name) => ({
      code: 'EDGE_UNUSED',
      path: `options.${name}`,
      message: `Pulumi passes ${name} of a component to no resource in it`,
      hint: UNHEEDED[name] as string,
    }));
}

/** Refuses an option that is close to one of Pulumi's; others may be of a newer Pulumi. */
export function checkedOptions<Options extends object | undefined>(
  options: Options,
  label: string,
  kind: string,
): Options {
  return withInputErrors(() => {
    const problems = new ProblemList();
    if (options !== undefined && options !== null && !isMap(options)) {
      const resource = pulumi.ProviderResource.isInstance(options) ? 'provider: it' : 'dependsOn: it';
      const isResource = pulumi.Resource.isInstance(options);
      problems
        .at('options')
        .add(
          'EDGE_TYPE',
          `the options of the component are ${isResource ? 'a resource' : whatIs(options)}, not a map`,
          isResource
            ? `write { ${resource} }${resource.startsWith('d') ? ', or { parent: it }' : ''} as the third argument`
            : 'write { provider, dependsOn: […] }, or leave the third argument out',
        );
      problems.throwIfAny(`${kind} ${label}`);
    }
    const { provider } = (options ?? {}) as pulumi.ComponentResourceOptions;
    if (provider !== undefined && provider !== null && !pulumi.ProviderResource.isInstance(provider)) {
      problems
        .at('options', 'provider')
        .add(
          'EDGE_TYPE',
          `the provider is ${whatIs(provider)}`,
          "write provider: new k8s.Provider('cluster', { kubeconfig })",
        );
    }
    const known = Object.keys(RESOURCE_OPTIONS);
    for (const name of Object.keys(options ?? {})) {
      const near = known.includes(name) ? undefined : nearMiss(name, known);
      if (near !== undefined) {
        problems
          .at('options', name)
          .add('EDGE_UNKNOWN_PROPERTY', `resources have no option ${name}`, `did you mean ${near}?`);
      }
    }
    problems.throwIfAny(`${kind} ${label}`);
    return options;
  });
}
