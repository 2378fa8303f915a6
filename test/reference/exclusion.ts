const ANNOTATION = 'apps.openyurt.io/exclude-host-network-pool';
const LABEL = 'nodepool.openyurt.io/hostnetwork';
/** Fields that the exclusion creates if they are missing. */
const CREATED = [
  ...['metadata', 'annotations', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'],
  ...['nodeSelectorTerms', 'matchExpressions'],
];

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Data without annotation and requirement, and without the empty fields around them; for comparisons of before and after. */
export function withoutExclusion(value: any): any {
  if (Array.isArray(value)) {
    const others = value.filter((item) => !(item?.key === LABEL && item.operator === 'NotIn'));
    return others.map(withoutExclusion).filter((item) => !isEmpty(item));
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  const fields = Object.entries(value)
    .filter(([key]) => key !== ANNOTATION)
    .map(([key, item]) => [key, withoutExclusion(item)] as const)
    .filter(([key, item]) => !(CREATED.includes(key) && isEmpty(item)));
  return Object.fromEntries(fields);
}

/** Whether each Deployment and Pod in some data is excluded from host-network nodes. */
export function isExcludedEverywhere(value: any): boolean {
  if (value === null || typeof value !== 'object') {
    return true;
  }
  const template = value.kind === 'Deployment' ? value.spec?.template : value.kind === 'Pod' ? value : undefined;
  const terms =
    template?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const excludes = ({ matchExpressions, matchFields }: any): boolean =>
    isEmpty([...(matchExpressions ?? []), ...(matchFields ?? [])]) ||
    (matchExpressions ?? []).some(
      (each: any) => each.key === LABEL && ['NotIn', 'DoesNotExist'].includes(each.operator),
    );
  const isExcluded =
    template?.spec === undefined ||
    (template.metadata?.annotations?.[ANNOTATION] === 'true' && terms.length > 0 && terms.every(excludes));
  return isExcluded && Object.values(value).every(isExcludedEverywhere);
}
