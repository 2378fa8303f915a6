// in what both doors load, so that it runs before any file of them asks for Pulumi
import './peers.js';
import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import { withDeclaredObjects } from '../cluster/declared-objects.js';
import type { Plan, PlannedObject } from '../cluster/plan.js';
import type { Scope } from '../cluster/scope.js';
import { type EdgeWarning, OUTPUT_REFUSED, ProblemList, holdsOutput, isAboutUnknown } from '../base/errors.js';
import { SystemComponent } from '../system-components/system-component.js';
import { nearMiss, whatIs } from '../base/properties.js';
import { type PlainMap, isMap } from '../base/plain-data.js';
import { isUnknown } from '../base/unknown.js';
import { Declaration } from './declaration.js';
import { asInputErrors, withInputErrors } from './input-errors.js';
import { logError } from './log.js';
import { isOutput, promiseOf } from './outputs.js';
import { Program } from './program.js';
import { type Applying, type Registration, childName, isRetained, registrationOf } from './resource.js';
import { inProgram } from '../base/program-language.js';

/** The result of rendering a plan. */
export interface Rendered<Attributes> {
  readonly attributes: Attributes;
  /** The resources, in the order of the plan, without one whose kind is unknown. */
  readonly resources: readonly pulumi.CustomResource[];
  /** The first resource, which is created as soon as its kind is known. */
  readonly resource: () => pulumi.Output<pulumi.CustomResource>;
  /** Parts of the plan for the state: plain values, with Outputs for unknown ones. */
  readonly input: (parts: object) => pulumi.Inputs;
  /** A part of the plan as an Output. */
  readonly output: <T>(part: T) => pulumi.Output<T>;
  /** A part of the plan as an Output, computed when the whole program is declared. */
  readonly outputAtEnd: <T>(part: () => T) => pulumi.Output<T>;
}

/**
 * Base class of all components. Their children have the component as parent, so that they inherit providers and other options as usual in Pulumi.
 *
 * @category Pulumi
 */
export abstract class EdgeComponent extends pulumi.ComponentResource {
  /**
   * The plan of its objects as files, from which `declared` makes the manifests of a site. Without one, an engine does not deliver the component: its objects
   * are commands in an order, or a secret.
   *
   * @internal
   */
  public static readonly plan?: (args: never, scope: Scope) => Plan<unknown>;
  /** What to say of its options that have no effect. */
  private readonly unheeded: readonly EdgeWarning[];
  /** Its options that Pulumi does not pass on to children, and that make sense only for them. */
  private readonly given?: pulumi.ComponentResourceOptions | undefined;

  /**
   * @param kind name of the class
   * @param name name of the resource
   * @param args properties; they are recorded in the state
   * @param options options of the component
   */
  protected constructor(
    private readonly kind: string,
    private readonly label: string,
    args: object,
    options: pulumi.ComponentResourceOptions | undefined,
  ) {
    super(
      `edge-nodepools:index:${kind}`,
      nameOf(label, kind),
      recorded(args ?? {}) as pulumi.Inputs,
      checkedOptions(options, label, kind),
    );
    this.unheeded = unheededOptions(options);
    if (options?.customTimeouts !== undefined || options?.ignoreChanges !== undefined) {
      this.given = options;
    }
  }

  /**
   * Creates the resources of a plan, with their dependencies, and shows its warnings.
   *
   * @param applying how the component applies the objects
   * @throws InputPropertiesError with all problems at once
   * @internal
   */
  protected render<Attributes>(
    args: unknown,
    rule: (args: never, scope: Scope) => Plan<Attributes>,
    applying: Applying = {},
  ): Rendered<Attributes> {
    const program = Program.current();
    try {
      const warnings = program.warnings.listFor(this, this.label);
      const declaring = (given: never, scope: Scope): Plan<Attributes> =>
        withDeclaredObjects(rule(given, scope), scope);
      const declaration: Declaration<Plan<Attributes>> = new Declaration(this.label, args, declaring, program, {
        subject: `${this.kind} ${this.label}`,
        refused: (error) => logError(error, this),
        isData: (path) =>
          /^(workload|template|deploymentTemplate|statefulSetTemplate|extraSpec|kubeletConfiguration)\b./.test(path),
        warned: (known, isShown) => warnings.add(known.warnings.filter(isShown)),
      });
      const plan = declaration.made;
      warnings.add(this.unheeded);
      const pools = resourcesIn(args);
      const made = new Map<PlannedObject, pulumi.Input<pulumi.CustomResource>>();
      // a loop in this method: Pulumi reads and keeps the stack of each resource, frame by frame
      for (const planned of plan.objects) {
        const { object } = planned;
        declaration.requireKnownText(object, plan.subject);
        const options = this.optionsOf(planned, made, applying, pools);
        const child = (name: string, fields: PlainMap): Registration =>
          this.childOf(name, planned, fields, options, applying, program);
        if (isUnknown(object)) {
          made.set(planned, this.whenKindIsKnown(declaration.output<PlainMap>(object), child));
        } else {
          const one = child(childName(this.label, planned), declaration.input(object) as PlainMap);
          made.set(planned, new one.Class(one.name, one.args, one.options));
        }
      }
      const resources = [...made.values()];
      warnings.add(
        plan.warnings.filter(
          ({ path, reads = [] }) => ![path, ...reads].some((one) => isAboutUnknown(one, declaration.unknownPaths)),
        ),
      );
      if (plan.cluster !== undefined && program.warnsOf(plan.cluster)) {
        program.warnings.listFor(this, this.label).add(
          plan.cluster.warnings.map((warning) => ({
            ...warning,
            path: `${inProgram('EdgeCluster', 'cluster')}.${warning.path}`,
          })),
        );
      }
      // without a check nothing waits for the end, and keeps the component in memory until then
      const atEnd = plan.atEnd && this.lookAtEnd(plan, program);
      return {
        attributes: plan.attributes,
        resources: resources.filter((resource) => pulumi.Resource.isInstance(resource)),
        resource: () => pulumi.output(resources[0]) as unknown as pulumi.Output<pulumi.CustomResource>,
        input: (parts) => declaration.input(parts) as pulumi.Inputs,
        output: (part) => declaration.output(part),
        outputAtEnd: (part) => {
          const end = pulumi.output((atEnd ?? program.atEnd()).then(() => true));
          return end.apply(() => declaration.output(part()));
        },
      };
    } catch (error) {
      throw asInputErrors(error);
    }
  }

  /** The options of a resource: after the resources that its plan names, or after the one before it; the first after the pools. */
  private optionsOf(
    planned: PlannedObject,
    made: ReadonlyMap<PlannedObject, pulumi.Input<pulumi.CustomResource>>,
    applying: Applying,
    pools: readonly pulumi.Resource[],
  ): pulumi.CustomResourceOptions {
    const { replaceOn, after } = planned;
    const before =
      after?.map((other) => made.get(other) as pulumi.Input<pulumi.Resource>) ?? [...made.values()].slice(-1);
    const dependsOn = before.length > 0 ? before : [...pools];
    return {
      parent: this,
      ...(dependsOn.length > 0 ? { dependsOn } : {}),
      ...this.passedOn(planned),
      ...(isRetained(planned, applying) ? { retainOnDelete: true } : {}),
      ...(replaceOn === undefined ? {} : { replaceOnChanges: [...replaceOn.fields] }),
      ...(replaceOn?.deleteFirst === true ? { deleteBeforeReplace: true } : {}),
    };
  }

  /** The resource of an object whose kind is unknown: the class of the resource depends on it. */
  private whenKindIsKnown(
    later: pulumi.Output<PlainMap>,
    child: (name: string, fields: PlainMap) => Registration,
  ): pulumi.Output<pulumi.CustomResource> {
    return later.apply((known) => {
      // field by field, so that a secret stays one
      const fields = Object.keys(known).map((field): [string, unknown] => [field, later.apply((all) => all[field])]);
      const { apiVersion, kind } = known;
      const { Class, name, args, options } = child(this.label, { ...Object.fromEntries(fields), apiVersion, kind });
      return new Class(name, args, options);
    });
  }

  /** A resource to create, which transforms and the exclusion find by its kind and name. */
  private childOf(
    name: string,
    planned: PlannedObject,
    object: PlainMap,
    options: pulumi.CustomResourceOptions,
    applying: Applying,
    program: Program,
  ): Registration {
    const kind = String(object.kind);
    program.addChild(kind, name);
    // whatever creates an object of an unknown kind has excluded it already, or says why not
    const skipExclusion = planned.skipExclusion ?? (isUnknown(planned.object) ? '' : undefined);
    if (skipExclusion !== undefined) {
      program.skipExclusion(kind, name, skipExclusion);
    }
    return registrationOf(name, planned, object, options, applying);
  }

  /** Pulumi itself passes on the providers, protect, retainOnDelete, deletedWith, aliases and transforms. */
  private passedOn({ id }: PlannedObject): pulumi.CustomResourceOptions {
    const { customTimeouts, ignoreChanges } = this.given ?? {};
    return {
      ...(customTimeouts === undefined ? {} : { customTimeouts }),
      // its paths are those of the main object
      ...(ignoreChanges === undefined || id !== undefined ? {} : { ignoreChanges }),
    };
  }

  /** Runs the checks that need the whole program; a problem fails the update. */
  private async lookAtEnd<Attributes>({ subject, atEnd }: Plan<Attributes>, program: Program): Promise<void> {
    const warnings = program.warnings.listFor(this, this.label);
    await program.atEnd();
    try {
      const problems = new ProblemList();
      warnings.add(atEnd?.(problems) ?? []);
      problems.throwIfAny(subject);
    } catch (error) {
      logError(error, this);
    }
  }
}

/** Options with the former type of a component as an alias, so that existing stacks keep its resources. */
export function withFormerType(
  options: pulumi.ComponentResourceOptions = {},
  type: string | undefined,
): pulumi.ComponentResourceOptions {
  return type === undefined ? options : { ...options, aliases: [...(options.aliases ?? []), { type }] };
}

/** The name of a component; anything else than text is refused, before it becomes part of a URN. */
function nameOf(name: unknown, kind: string): string {
  return withInputErrors(() => {
    const problems = new ProblemList();
    if (typeof name === 'string' && holdsOutput(name)) {
      problems.at('name').add('EDGE_KNOWN_LATER', OUTPUT_REFUSED.message, OUTPUT_REFUSED.hint);
    } else if (typeof name !== 'string' || name === '') {
      problems
        .at('name')
        .add(
          'EDGE_MISSING',
          `the name of the component is ${name === '' ? 'empty' : whatIs(name)}`,
          `write new ${kind}('name', {…}): the name is text, and unique in the program`,
        );
    }
    problems.throwIfAny(kind);
    return name as string;
  });
}

/** The resources among the arguments: the pools of a workload or a join, which exist before it and are deleted after it. */
function resourcesIn(args: unknown): pulumi.Resource[] {
  const values = Object.values(args ?? {}).flatMap((value: unknown) => value);
  return values.filter((value) => pulumi.Resource.isInstance(value));
}

/** Arguments as recorded in the state: plain data and Inputs, and names for everything else. Data is not copied: Pulumi only reads it. */
function recorded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isOutput(value)) {
    return value;
  }
  if (Array.isArray(value)) {
    const items = value.map(recorded);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (isMap(value)) {
    const fields = Object.entries(value).map(([key, item]) => [key, recorded(item)] as const);
    return fields.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(fields);
  }
  if (pulumi.Resource.isInstance(value)) {
    // without the resource of the Output: with it, this component would wait for all children of the other one, also for one that is refused
    return promiseOf(value.urn);
  }
  if (value instanceof EdgeCluster) {
    return value.toString();
  }
  return value instanceof SystemComponent ? value.name : value.constructor.name;
}

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
function unheededOptions(options: object | undefined): EdgeWarning[] {
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
function checkedOptions<Options extends object | undefined>(options: Options, label: string, kind: string): Options {
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
