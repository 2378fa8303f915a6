import type * as pulumi from '@pulumi/pulumi';
import type { ComponentResourceOptions as Options } from '@pulumi/pulumi';
import { planPersistentData } from '../control-plane/persistent-data.js';
import type {
  DataConsumer,
  DataPropsOf,
  DataVolume,
  DataVolumeMount,
  PersistentDataProps,
} from '../control-plane/persistent-data-props.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { defineOutputs } from './outputs.js';

/**
 * Arguments of a {@link PersistentData}.
 *
 * @category Store data on OpenStack
 */
export interface PersistentDataArgs extends WithInputs<
  PersistentDataProps,
  // they determine which resources exist, or how many
  'consumer' | 'replicas' | 'accessMode' | 'retain' | 'encrypted'
> {}

/**
 * Arguments for data of one kind of consumer.
 *
 * @category Store data on OpenStack
 */
export type DataArgsOf<Consumer extends DataConsumer> = Pick<PersistentDataArgs, keyof DataPropsOf<Consumer>>;

/**
 * Where a program keeps its data: the fields for its own object, which its operator turns into volumes; for a Deployment also the claim. Storage that
 * does not fit is refused: a database on a share, one volume for several nodes, more data than the volume holds.
 *
 * @category Store data on OpenStack
 */
export class PersistentData extends EdgeComponent {
  /**
   * Data of a Prometheus of prometheus-operator: `data.spec.apply((spec) => ({ …, ...spec }))`.
   *
   * @param name name of the resource
   * @param args name of the Prometheus, storage and size, and how much is kept
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forPrometheus(name: string, args: DataArgsOf<'prometheus'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'prometheus' }, options);
  }

  /**
   * Data of an Alertmanager of prometheus-operator: `data.spec.apply((spec) => ({ …, ...spec }))`.
   *
   * @param name name of the resource
   * @param args name of the Alertmanager, storage and size
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forAlertmanager(name: string, args: DataArgsOf<'alertmanager'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'alertmanager' }, options);
  }

  /**
   * Data of an Elasticsearch of Elastic Cloud on Kubernetes: `data.spec.apply((spec) => ({ …, ...spec }))`. Without it the operator makes
   * volumes of 1Gi, and deletes them with the Elasticsearch.
   *
   * @param name name of the resource
   * @param args name of the Elasticsearch, storage and size
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forElasticsearch(name: string, args: DataArgsOf<'elasticsearch'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'elasticsearch' }, options);
  }

  /**
   * Data of Loki, as one process on one volume: `helmValues` for its chart.
   *
   * @param name name of the resource
   * @param args name of the StatefulSet of Loki, storage and size
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forLoki(name: string, args: DataArgsOf<'loki'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'loki' }, options);
  }

  /**
   * Data of a StatefulSet, with a volume for each replica: `data.spec.apply((spec) => ({ …, ...spec }))`, and `data.volumeMounts` in its container.
   *
   * @param name name of the resource
   * @param args name of the StatefulSet, storage, size and where it is mounted
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forStatefulSet(name: string, args: DataArgsOf<'statefulSet'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'statefulSet' }, options);
  }

  /**
   * Data of a Deployment, on one volume: creates its claim. `data.spec.apply((spec) => ({ …, ...spec }))`, `data.volumes`
   * in its Pod template, and `data.volumeMounts` in its container.
   *
   * @param name name of the resource
   * @param args name of the Deployment, storage, size and where it is mounted
   * @param options options of the component
   * @throws InputPropertiesError as the constructor
   */
  public static forDeployment(name: string, args: DataArgsOf<'deployment'>, options?: Options): PersistentData {
    return new PersistentData(name, { ...args, consumer: 'deployment' }, options);
  }

  /** Fields for the `spec` of the consumer; empty for Loki. */
  declare public readonly spec: pulumi.Output<Record<string, unknown>>;
  /** Values for the Helm chart of the consumer: kube-prometheus-stack, eck-elasticsearch or loki; empty for workloads. */
  declare public readonly helmValues: pulumi.Output<Record<string, unknown>>;
  /** Names of the claims. */
  declare public readonly claimNames: pulumi.Output<string[]>;
  /** Volumes for the Pod template of a Deployment; empty for others. */
  declare public readonly volumes: pulumi.Output<DataVolume[]>;
  /** Mounts for the container of a StatefulSet or a Deployment; empty for others. */
  declare public readonly volumeMounts: pulumi.Output<DataVolumeMount[]>;

  /**
   * @param name name of the resource
   * @param args what keeps the data, where, and how much
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: PersistentDataArgs, options?: Options) {
    super('PersistentData', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, input, output } = this.render(args ?? {}, planPersistentData);
    defineOutputs(this, {
      spec: () => output(attributes.spec),
      helmValues: () => output(attributes.helmValues),
      claimNames: () => output(attributes.claimNames),
      volumes: () => output(attributes.volumes),
      volumeMounts: () => output(attributes.volumeMounts),
    });
    this.registerOutputs(input(attributes));
  }
}
