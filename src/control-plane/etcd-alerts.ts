import type { PlannedObject } from '../cluster/plan.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { merged, text } from '../base/unknown.js';
import type { EtcdAlerts } from './etcd-cluster-props.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: 'warning' | 'critical';
  readonly summary: string;
}

/** The alerts of etcd (contrib/mixin), with `JOB` for the selector of the job. */
const ALERTS: readonly Alert[] = [
  {
    alert: 'etcdInsufficientMembers',
    expr: 'sum(up{JOB} == bool 1) without (instance, pod) < ((count(up{JOB}) without (instance, pod) + 1) / 2)',
    for: '3m',
    severity: 'critical',
    summary: 'most members are down: no write succeeds',
  },
  {
    alert: 'etcdMembersDown',
    expr: 'sum by (job) (up{JOB} == bool 0) > 0',
    for: '10m',
    severity: 'warning',
    summary: 'a member is down',
  },
  {
    alert: 'etcdNoLeader',
    expr: 'etcd_server_has_leader{JOB} == 0',
    for: '1m',
    severity: 'critical',
    summary: 'the members have no leader',
  },
  {
    alert: 'etcdHighNumberOfLeaderChanges',
    expr: 'increase(etcd_server_leader_changes_seen_total{JOB}[15m]) >= 4',
    for: '5m',
    severity: 'warning',
    summary: 'the leader changes often: disk or network are too slow for the heartbeat',
  },
  {
    alert: 'etcdHighNumberOfFailedProposals',
    expr: 'rate(etcd_server_proposals_failed_total{JOB}[15m]) > 5',
    for: '15m',
    severity: 'warning',
    summary: 'writes fail',
  },
  {
    alert: 'etcdMemberCommunicationSlow',
    expr: 'histogram_quantile(0.99, rate(etcd_network_peer_round_trip_time_seconds_bucket{JOB}[5m])) > 0.15',
    for: '10m',
    severity: 'warning',
    summary: 'the network between members is slow',
  },
  {
    alert: 'etcdHighFsyncDurations',
    expr: 'histogram_quantile(0.99, rate(etcd_disk_wal_fsync_duration_seconds_bucket{JOB}[5m])) > 0.5',
    for: '10m',
    severity: 'warning',
    summary: 'the volume is slow: it should need less than 10 ms',
  },
  {
    alert: 'etcdHighFsyncDurationsCritical',
    expr: 'histogram_quantile(0.99, rate(etcd_disk_wal_fsync_duration_seconds_bucket{JOB}[5m])) > 1',
    for: '10m',
    severity: 'critical',
    summary: 'the volume is so slow that members lose their leader',
  },
  {
    alert: 'etcdHighCommitDurations',
    expr: 'histogram_quantile(0.99, rate(etcd_disk_backend_commit_duration_seconds_bucket{JOB}[5m])) > 0.25',
    for: '10m',
    severity: 'warning',
    summary: 'commits are slow: they should need less than 25 ms',
  },
  {
    alert: 'etcdDatabaseQuotaLowSpace',
    expr: '(last_over_time(etcd_mvcc_db_total_size_in_bytes{JOB}[5m]) / last_over_time(etcd_server_quota_backend_bytes{JOB}[5m])) * 100 > 95',
    for: '10m',
    severity: 'critical',
    summary:
      'the data is almost as large as the quota: then no write succeeds. Run edge-etcd compact, then defrag force on each member',
  },
  {
    alert: 'etcdExcessiveDatabaseGrowth',
    expr: 'predict_linear(etcd_mvcc_db_total_size_in_bytes{JOB}[4h], 4*60*60) > etcd_server_quota_backend_bytes{JOB}',
    for: '10m',
    severity: 'warning',
    summary: 'the data reaches the quota within four hours',
  },
  {
    alert: 'etcdDatabaseHighFragmentationRatio',
    expr: '(last_over_time(etcd_mvcc_db_total_size_in_use_in_bytes{JOB}[5m]) / last_over_time(etcd_mvcc_db_total_size_in_bytes{JOB}[5m])) < 0.5 and etcd_mvcc_db_total_size_in_use_in_bytes{JOB} > 104857600',
    for: '10m',
    severity: 'warning',
    summary: 'half of the data is free pages: does the timer edge-etcd-defrag run?',
  },
];

/** A PrometheusRule with the alerts of etcd. */
export function etcdAlerts(name: string, namespace: string, { job, labels }: EtcdAlerts): PlannedObject {
  const selector = text`job="${job ?? text`${name}-etcd`}"`;
  const exprOf = (expr: string): string =>
    expr.split('JOB').reduce((before, after) => (before === undefined ? after : text`${before}${selector}${after}`));
  return {
    object: {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: text`${name}-etcd`, namespace, labels: merged(labels, OWN_LABELS) },
      spec: {
        groups: [
          {
            name: 'etcd',
            rules: ALERTS.map(({ alert, expr, for: pending, severity, summary }) => ({
              alert,
              expr: exprOf(expr),
              for: pending,
              labels: { severity },
              annotations: { summary },
            })),
          },
        ],
      },
    },
    apply: 'create',
    id: 'alerts',
  };
}
