/** Paths on the node that the join writes, whatever its settings. */

/** Folder for what holds the token; in memory on every machine with systemd. */
export const RUN_FOLDER = '/run/edge-nodepools';

/** Folder for what a later run needs; nothing in it ever holds the token. */
export const STATE_FOLDER = '/var/lib/edge-nodepools';

export const SCRIPT_PATH = `${STATE_FOLDER}/join.sh`;

/** Kubeconfig of kubelet: where it is, the machine is a node. */
export const KUBELET_CONF = '/etc/kubernetes/kubelet.conf';

/** Kubeconfig with the token, by which kubelet asks for its certificate. */
export const BOOTSTRAP_KUBELET_CONF = '/etc/kubernetes/bootstrap-kubelet.conf';

/** Folder of what cloud-init runs at every boot, in the order of the names. */
export const PER_BOOT_FOLDER = '/var/lib/cloud/scripts/per-boot';

/** Hook by which cloud-init tries again at the next boot: the join only with a token that the node can read again. */
export const BOOT_HOOK = `${PER_BOOT_FOLDER}/edge-nodepools-join`;

/** Time servers, where a script and not cloud-init sets them. */
export const TIME_SERVERS_FILE = '/etc/systemd/timesyncd.conf.d/10-edge-nodepools.conf';

/** Folder of kubeadm patches on the node. */
export const PATCH_FOLDER = '/etc/kubernetes/patches';
