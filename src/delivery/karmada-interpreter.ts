import { OWN_LABELS } from '../kubernetes/labels.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import type { KubernetesObject } from '../kubernetes/object.js';

/** A PUT without what yurt-manager has filled in when the pool was created would take it away: it fills it in at no update. */
const RETAIN = `function Retain(desiredObj, observedObj)
  if observedObj.spec == nil then
    return desiredObj
  end
  if desiredObj.spec == nil then
    desiredObj.spec = {}
  end
  local fields = {'interConnectivity', 'leaderElectionStrategy', 'leaderReplicas', 'poolScopeMetadata'}
  for _, field in ipairs(fields) do
    if desiredObj.spec[field] == nil then
      desiredObj.spec[field] = observedObj.spec[field]
    end
  end
  return desiredObj
end
`;

/** The numbers of nodes without their names: the status of all sites is in one object. A pool without nodes has no status. */
const REFLECT_STATUS = `function ReflectStatus(observedObj)
  local status = observedObj.status or {}
  return {readyNodeNum = status.readyNodeNum or 0, unreadyNodeNum = status.unreadyNodeNum or 0}
end
`;

const AGGREGATE_STATUS = `function AggregateStatus(desiredObj, statusItems)
  local ready, unready = 0, 0
  for _, item in ipairs(statusItems or {}) do
    if item.status ~= nil then
      ready = ready + (item.status.readyNodeNum or 0)
      unready = unready + (item.status.unreadyNodeNum or 0)
    end
  end
  desiredObj.status = {readyNodeNum = ready, unreadyNodeNum = unready}
  return desiredObj
end
`;

/** A pool is well when it is there: its nodes join later, and may be off. */
const INTERPRET_HEALTH = `function InterpretHealth(observedObj)
  return observedObj.metadata.deletionTimestamp == nil
end
`;

/** What Karmada needs to know of NodePools, of which it has no interpreter: one for each version among some objects. */
export function interpretersFor(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const pools = objects.filter((object) => groupKindOf(object) === 'NodePool.apps.openyurt.io');
  return [...new Set(pools.map(({ apiVersion }) => apiVersion))].sort().map((apiVersion) => ({
    apiVersion: 'config.karmada.io/v1alpha1',
    kind: 'ResourceInterpreterCustomization',
    metadata: { name: `edge-nodepools-nodepool-${apiVersion.split('/')[1]}`, labels: { ...OWN_LABELS } },
    spec: {
      target: { apiVersion, kind: 'NodePool' },
      customizations: {
        retention: { luaScript: RETAIN },
        healthInterpretation: { luaScript: INTERPRET_HEALTH },
        statusReflection: { luaScript: REFLECT_STATUS },
        statusAggregation: { luaScript: AGGREGATE_STATUS },
      },
    },
  }));
}
