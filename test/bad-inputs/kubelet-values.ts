import type { BadInput } from './case.js';
import { join } from './join-flags.js';

const value = (field: string, given: unknown, hint: string, code: BadInput['code'] = 'EDGE_VALUE'): BadInput => ({
  what: `kubelet with ${field} ${JSON.stringify(given)}`,
  code,
  path: `kubeletConfiguration.${field}`,
  hint,
  make: join({ kubeletConfiguration: { [field]: given } }),
});

const both = (field: string, fields: object, hint: string): BadInput => ({
  what: `kubelet with ${JSON.stringify(fields)}`,
  code: 'EDGE_CONTRADICTION',
  path: `kubeletConfiguration.${field}`,
  hint,
  make: join({ kubeletConfiguration: fields }),
});

const flag = (name: string, given: string, hint: string): BadInput => ({
  what: `kubelet with --${name}=${given}`,
  code: 'EDGE_VALUE',
  path: `kubeletExtraArgs${/^[a-z]+$/.test(name) ? `.${name}` : `["${name}"]`}`,
  hint,
  make: join({ kubeletExtraArgs: { [name]: given } }),
});

/** Values of the right type with which kubelet does not start. */
export const kubeletValues: BadInput[] = [
  value('cpuManagerPolicy', 'Static', "did you mean 'static'?"),
  value('memoryManagerPolicy', 'static', "did you mean 'Static'?"),
  value('topologyManagerPolicy', 'best_effort', "did you mean 'best-effort'?"),
  value('topologyManagerScope', 'machine', "write 'container'"),
  value('hairpinMode', 'veth', 'hairpin-veth'),
  value('configMapAndSecretChangeDetectionStrategy', 'watch', "did you mean 'Watch'?"),
  value('imagePullCredentialsVerificationPolicy', 'alwaysVerify', 'AlwaysVerify'),
  value('tlsMinVersion', 'TLS12', 'VersionTLS12'),
  value('containerLogMaxSize', '10MB', "write '10Mi'"),
  value('containerLogMaxSize', '100m', "write '10Mi'"),
  value('containerLogMaxFiles', 1, 'write 2'),
  value('containerLogMaxWorkers', 0, 'write 1'),
  value('containerLogMonitorInterval', '1s', "write '3s'"),
  value('imageGCHighThresholdPercent', 101, 'write 100'),
  value('imageGCLowThresholdPercent', -1, 'write 0'),
  value('imageMinimumGCAge', '-1m', "write '1s'"),
  value('maxPods', -1, 'write 0'),
  value('maxParallelImagePulls', 0, 'write 1'),
  value('kubeAPIQPS', -1, 'write 0'),
  value('oomScoreAdj', -1001, 'write -1000'),
  value('port', 70000, 'write 65535'),
  value('readOnlyPort', -1, 'write 0'),
  value('nodeStatusMaxImages', -2, 'write -1'),
  value('cpuCFSQuotaPeriod', '5s', "write '100ms'"),
  value('shutdownGracePeriod', '500ms', "write '1s'"),
  value('memoryThrottlingFactor', 1.5, 'write 0.9'),
  value('reservedSystemCPUs', '0..3', "write '0-1,4'"),
  value('reservedSystemCPUs', '3-1', "write '0-1,4'"),
  both(
    'imageGCLowThresholdPercent',
    { imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 80 },
    'a larger imageGCHighThresholdPercent',
  ),
  both(
    'shutdownGracePeriodCriticalPods',
    { shutdownGracePeriod: '10s', shutdownGracePeriodCriticalPods: '0.5m' },
    'a larger shutdownGracePeriod',
  ),
  both('maxParallelImagePulls', { serializeImagePulls: true, maxParallelImagePulls: 3 }, 'serializeImagePulls: false'),
  flag('max-pods', 'twenty', "write '30'"),
  flag('max-pods', '', "write '30'"),
  flag('max-pods', '-1', 'write 0'),
  flag('v', 'debug', "write '30'"),
  flag('image-gc-high-threshold', '85%', "write '30'"),
  flag('image-gc-high-threshold', '120', 'write 100'),
  flag('fail-swap-on', 'no', "write 'true'"),
  flag('node-status-update-frequency', '10', "write '10s'"),
  flag('cpu-manager-policy', 'Static', "did you mean 'static'?"),
];
