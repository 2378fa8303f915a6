import { EdgeCluster } from 'edge-nodepools';

// OpenYurt: by the image yurt-manager. Kubernetes: by the ConfigMap kubeadm-config.
export const cluster = EdgeCluster.of({
  openYurt: '1.6',
  kubernetes: '1.30',
});
