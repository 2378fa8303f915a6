import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { planPersistentData } from '../control-plane/persistent-data.js';
import type {
  DataPropsOf,
  DataVolume,
  DataVolumeMount,
  PersistentDataProps,
} from '../control-plane/persistent-data-props.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * Where a program keeps its data: the fields for its own object, which its operator turns into volumes; for a Deployment also the claim. Storage that
 * does not fit is refused: a database on a share, one volume for several nodes, more data than the volume holds.
 *
 * @category Store data on OpenStack
 */
export class PersistentData extends Construct {
  /**
   * Data of a Prometheus of prometheus-operator: `spec: { …, ...data.spec }`.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the Prometheus, storage and size, and how much is kept
   * @throws {@link EdgeError} as the constructor
   */
  public static forPrometheus(scope: Construct, id: string, props: DataPropsOf<'prometheus'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'prometheus' });
  }

  /**
   * Data of an Alertmanager of prometheus-operator: `spec: { …, ...data.spec }`.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the Alertmanager, storage and size
   * @throws {@link EdgeError} as the constructor
   */
  public static forAlertmanager(scope: Construct, id: string, props: DataPropsOf<'alertmanager'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'alertmanager' });
  }

  /**
   * Data of an Elasticsearch of Elastic Cloud on Kubernetes: `spec: { …, ...data.spec }`. Without it the operator makes volumes of 1Gi, and deletes them
   * with the Elasticsearch.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the Elasticsearch, storage and size
   * @throws {@link EdgeError} as the constructor
   */
  public static forElasticsearch(scope: Construct, id: string, props: DataPropsOf<'elasticsearch'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'elasticsearch' });
  }

  /**
   * Data of Loki, as one process on one volume: `helmValues` for its chart.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the StatefulSet of Loki, storage and size
   * @throws {@link EdgeError} as the constructor
   */
  public static forLoki(scope: Construct, id: string, props: DataPropsOf<'loki'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'loki' });
  }

  /**
   * Data of a StatefulSet, with a volume for each replica: `spec: { …, ...data.spec }`, and `data.volumeMounts` in its container.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the StatefulSet, storage, size and where it is mounted
   * @throws {@link EdgeError} as the constructor
   */
  public static forStatefulSet(scope: Construct, id: string, props: DataPropsOf<'statefulSet'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'statefulSet' });
  }

  /**
   * Data of a Deployment, on one volume: creates its claim. `spec: { …, ...data.spec }`, `data.volumes` in its Pod template, and `data.volumeMounts` in
   * its container.
   *
   * @param scope parent
   * @param id construct id
   * @param props name of the Deployment, storage, size and where it is mounted
   * @throws {@link EdgeError} as the constructor
   */
  public static forDeployment(scope: Construct, id: string, props: DataPropsOf<'deployment'>): PersistentData {
    return new PersistentData(scope, id, { ...props, consumer: 'deployment' });
  }

  /** Fields for the `spec` of the consumer; empty for Loki. */
  public readonly spec!: Record<string, unknown>;
  /** Values for the Helm chart of the consumer: kube-prometheus-stack, eck-elasticsearch or loki; empty for workloads. */
  public readonly helmValues!: Record<string, unknown>;
  /** Names of the claims. */
  public readonly claimNames!: string[];
  /** Volumes for the Pod template of a Deployment; empty for others. */
  public readonly volumes!: DataVolume[];
  /** Mounts for the container of a StatefulSet or a Deployment; empty for others. */
  public readonly volumeMounts!: DataVolumeMount[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props what keeps the data, where, and how much
   * @throws {@link EdgeError} with all problems at once: EDGE_CONTRADICTION for storage that does not fit, EDGE_QUANTITY, EDGE_NAME, EDGE_VALUE,
   * EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: PersistentDataProps) {
    super(parentOf(scope, id, 'PersistentData', props), id);
    Object.assign(this, render(this, planPersistentData(props, scopeOf(this, Chart.of(this).namespace))).attributes);
  }
}
