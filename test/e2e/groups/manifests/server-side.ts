/** Fields of metadata that an API server gives each object. */
const OF_THE_SERVER = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink'];

/** An object without what differs between two clusters that were given the same: identity, status, and addresses that are allocated. */
export function withoutServerFields({ status: _status, metadata, ...object }: any): any {
  const own = Object.fromEntries(Object.entries(metadata).filter(([field]) => !OF_THE_SERVER.includes(field)));
  const { 'kubectl.kubernetes.io/last-applied-configuration': _last, ...annotations } = (own.annotations ?? {}) as any;
  const kept: any = { ...own, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
  if (Object.keys(annotations).length === 0) {
    delete kept.annotations;
  }
  const allocated = { Service: withoutAddresses, Job: withoutUid, NodePool: withoutFalse }[object.kind as string];
  if (object.kind === 'Job' && kept.labels !== undefined) {
    kept.labels = withoutUidLabels(kept.labels);
  }
  return { ...object, metadata: kept, ...(allocated === undefined ? {} : { spec: allocated(object.spec) }) };
}

/** `hostNetwork` is omitempty in the types of OpenYurt: false is the same as nothing. */
function withoutFalse({ hostNetwork, ...spec }: any): any {
  return hostNetwork === true ? { hostNetwork, ...spec } : spec;
}

/** The API server selects the Pods of a Job by its uid. */
function withoutUid({ selector: _selector, template, ...spec }: any): any {
  const labels = withoutUidLabels(template.metadata.labels);
  return { ...spec, template: { ...template, metadata: { ...template.metadata, labels } } };
}

function withoutUidLabels(labels: object): object {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !key.endsWith('controller-uid')));
}

function withoutAddresses({ clusterIP, clusterIPs: _all, healthCheckNodePort: _port, ports = [], ...spec }: any): any {
  return {
    ...spec,
    ...(clusterIP === 'None' ? { clusterIP } : {}),
    ports: ports.map(({ nodePort: _node, ...port }: any) => port),
  };
}
