/** Paths on the node that do not depend on settings. */

/** Folder for files with the token; in memory on every machine with systemd. */
export const RUN_FOLDER = '/run/edge-nodepools';

/** Folder for files that a later run needs; none of them contains the token. */
export const STATE_FOLDER = '/var/lib/edge-nodepools';

export const SCRIPT_PATH = `${STATE_FOLDER}/join.sh`;

/** Kubeconfig of the kubelet. It exists if the machine has joined. */
export const KUBELET_CONF = '/etc/kubernetes/kubelet.conf';

/** Kubeconfig with the token, with which the kubelet requests its certificate. */
export const BOOTSTRAP_KUBELET_CONF = '/etc/kubernetes/bootstrap-kubelet.conf';

/** Folder of scripts that cloud-init runs at every boot, ordered by name. */
export const PER_BOOT_FOLDER = '/var/lib/cloud/scripts/per-boot';

/** Script with which cloud-init runs the join again at the next boot; only if the node can read the token again, or for commands after the join. */
export const BOOT_HOOK = `${PER_BOOT_FOLDER}/edge-nodepools-join`;

/** NTP servers, if the script configures them and not cloud-init. */
export const TIME_SERVERS_FILE = '/etc/systemd/timesyncd.conf.d/10-edge-nodepools.conf';

/** Folder of kubeadm patches on the node. */
export const PATCH_FOLDER = '/etc/kubernetes/patches';
