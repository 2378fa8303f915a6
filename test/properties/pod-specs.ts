import fc from 'fast-check';

/** Pod specs as people and generators write them: each is valid except for one or a few values, or is valid. */

const odd: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  ...[null, '', 'a b', '-x', 'x'.repeat(64), 'a/b/c', 5, true, {}, [], [null], ['x', 5]],
);

/** A value that is usually as it should be, sometimes absent, and sometimes wrong. */
function mostly(good: fc.Arbitrary<unknown>, others: readonly unknown[] = []): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 600, arbitrary: good },
    { weight: 2, arbitrary: odd },
    ...(others.length === 0 ? [] : [{ weight: 3, arbitrary: fc.constantFrom(...others) }]),
  );
}

const each = <T>(arbitrary: fc.Arbitrary<T>, minLength = 1, maxLength = 2): fc.Arbitrary<T[]> =>
  fc.array(arbitrary, { minLength, maxLength });

const word = fc.constantFrom('linux', 'hz', 'true', '3', '7', 'a.b-c_D');
const text = mostly(word, ['+5', '-5', '1.5', '99999999999999999999', 'ä', ' x']);
const key = mostly(fc.constantFrom('kubernetes.io/os', 'site', 'rank', 'example.com/x'), [
  'Kubernetes.io/os',
  'kubernetes.io/',
  '/os',
  `${'a'.repeat(254)}/x`,
]);

/** Keys of maps, which are always text. */
const labelKey = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom('app', 'site', 'kubernetes.io/os', 'rank') },
  { weight: 1, arbitrary: fc.constantFrom('a b', 'Kubernetes.io/os', '-') },
);

const operators: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  In: mostly(each(text)),
  NotIn: mostly(each(text)),
  Exists: mostly(fc.constantFrom<unknown>(undefined, [], null), [['x']]),
  DoesNotExist: mostly(fc.constantFrom<unknown>(undefined, []), [['x']]),
  Gt: mostly(each(text, 1, 1), [['1', '2'], []]),
  Lt: mostly(each(text, 1, 1), [['-5'], ['four']]),
};

const requirementOf = (names: readonly string[], keys: fc.Arbitrary<unknown>): fc.Arbitrary<any> =>
  fc
    .constantFrom(...names)
    .chain((name) =>
      fc.record({ key: keys, operator: mostly(fc.constant(name), ['in', 'Equals']), values: operators[name] as any }),
    );

const expression = requirementOf(Object.keys(operators), key);
const field = requirementOf(
  ['In', 'NotIn'],
  mostly(fc.constant('metadata.name'), ['metadata.namespace', 'spec.nodeName']),
);
const nodeTerm = mostly(
  fc.record(
    { matchExpressions: mostly(each(mostly(expression), 0)), matchFields: mostly(each(mostly(field), 0, 1)) },
    { requiredKeys: [] },
  ),
);
const nodeTerms = mostly(each(nodeTerm), [undefined]);

/** Keys beside a selector; rarely there, because they need one. */
const labelKeys = (name: string): fc.Arbitrary<unknown> =>
  fc.constantFrom<unknown>(undefined, undefined, undefined, undefined, [name], []);

const labelRequirement = requirementOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], key);
const selector = mostly(
  fc.record(
    {
      matchLabels: mostly(fc.dictionary(labelKey, text, { maxKeys: 1 })),
      matchExpressions: mostly(each(mostly(labelRequirement), 0, 1)),
    },
    { requiredKeys: [] },
  ),
);

const topologyKey = mostly(fc.constantFrom('kubernetes.io/hostname', 'zone'), [undefined, 'a b']);
const podTerm = mostly(
  fc.record(
    {
      topologyKey,
      labelSelector: selector,
      namespaceSelector: selector,
      namespaces: mostly(each(mostly(fc.constantFrom('default', 'shop'), ['Shop', 'a.b']), 0)),
      matchLabelKeys: mostly(labelKeys('pod-template-hash')),
      mismatchLabelKeys: mostly(labelKeys('tier'), [['pod-template-hash']]),
    },
    { requiredKeys: ['topologyKey'] },
  ),
);
const weight = mostly(fc.integer({ min: 1, max: 100 }), [0, -1, 101, 1.5, '1', undefined]);

const podAffinity = mostly(
  fc.record(
    {
      requiredDuringSchedulingIgnoredDuringExecution: mostly(each(podTerm, 0)),
      preferredDuringSchedulingIgnoredDuringExecution: mostly(
        each(mostly(fc.record({ weight, podAffinityTerm: podTerm })), 0),
      ),
    },
    { requiredKeys: [] },
  ),
);

const affinity = mostly(
  fc.record(
    {
      nodeAffinity: mostly(
        fc.record(
          {
            requiredDuringSchedulingIgnoredDuringExecution: mostly(fc.record({ nodeSelectorTerms: nodeTerms })),
            preferredDuringSchedulingIgnoredDuringExecution: mostly(
              each(mostly(fc.record({ weight, preference: nodeTerm })), 0),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
      podAffinity,
      podAntiAffinity: podAffinity,
    },
    { requiredKeys: [] },
  ),
);

const tolerationEffect = mostly(fc.constantFrom('NoSchedule', 'NoExecute', 'PreferNoSchedule'), [
  undefined,
  'noExecute',
]);
const toleration = mostly(
  fc.oneof(
    fc.record(
      {
        key,
        operator: mostly(fc.constantFrom('Equal', ''), ['Gt', 'Lt', 'exists']),
        value: text,
        effect: tolerationEffect,
      },
      { requiredKeys: ['key'] },
    ),
    fc.record(
      {
        key,
        operator: mostly(fc.constant('Exists')),
        effect: tolerationEffect,
        value: fc.constantFrom(undefined, null, ''),
      },
      { requiredKeys: ['operator'] },
    ),
    fc.record({
      key,
      operator: fc.constant('Exists'),
      effect: mostly(fc.constant('NoExecute'), ['NoSchedule', undefined]),
      tolerationSeconds: mostly(fc.constantFrom(0, 300, -1), ['300', 1.5]),
    }),
  ),
);

const policy = mostly(fc.constantFrom('Honor', 'Ignore'), ['honor']);
const constraint = mostly(
  fc.record(
    {
      maxSkew: mostly(fc.integer({ min: 1, max: 5 }), [0, -1, '1', undefined, 1.5]),
      topologyKey,
      whenUnsatisfiable: mostly(fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'), [undefined, 'doNotSchedule']),
      labelSelector: selector,
      minDomains: mostly(fc.constantFrom<unknown>(undefined, 1, 3), [0, -1]),
      nodeAffinityPolicy: policy,
      nodeTaintsPolicy: policy,
      matchLabelKeys: mostly(labelKeys('pod-template-hash')),
    },
    { requiredKeys: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
  ),
);

const port = mostly(fc.integer({ min: 1, max: 65535 }), [0, -1, 65536, '80', 1.5, undefined]);
const protocol = mostly(fc.constantFrom<unknown>('TCP', 'UDP', 'SCTP', undefined), ['tcp']);
const portEntry = mostly(
  fc.record({ containerPort: port, protocol, hostIP: fc.constantFrom(undefined, '', '127.0.0.1') }).chain((entry) =>
    fc.record({
      containerPort: fc.constant(entry.containerPort),
      protocol: fc.constant(entry.protocol),
      hostIP: fc.constant(entry.hostIP),
      hostPort: mostly(fc.constantFrom<unknown>(undefined, entry.containerPort), [0]),
    }),
  ),
);
const container = (name: string): fc.Arbitrary<any> =>
  fc.record(
    { name: fc.constant(name), image: fc.constant('image'), ports: mostly(each(portEntry, 0)) },
    { requiredKeys: ['name', 'image'] },
  );

const dnsConfig = mostly(
  fc.record(
    {
      nameservers: mostly(
        each(mostly(fc.constantFrom('10.0.0.10', '2001:db8::1'), ['dns', '10.0.0.1:53', 'fe80::1%eth0']), 0, 4),
      ),
      searches: mostly(each(mostly(fc.constantFrom('example.com', 'example.com.'), ['exa mple']), 0)),
      options: mostly(
        each(mostly(fc.constantFrom({ name: 'ndots', value: '2' }, { name: 'edns0' }), [{ value: '2' }]), 0),
      ),
    },
    { requiredKeys: [] },
  ),
);

/** A Pod spec, biased around the fields that say where a Pod runs. */
export const oddPodSpec: fc.Arbitrary<any> = fc
  .record(
    {
      affinity,
      tolerations: mostly(each(toleration, 0)),
      nodeSelector: mostly(fc.dictionary(labelKey, text, { maxKeys: 2 })),
      topologySpreadConstraints: mostly(each(constraint, 0)),
      containers: fc.tuple(container('a')),
      initContainers: fc.tuple(container('i'), container('j')),
      dnsPolicy: mostly(fc.constantFrom<unknown>(undefined, 'Default', 'ClusterFirst', 'ClusterFirstWithHostNet', ''), [
        'default',
        'None',
      ]),
      dnsConfig,
    },
    { requiredKeys: ['containers'] },
  )
  .map((spec) => JSON.parse(JSON.stringify(spec)));
