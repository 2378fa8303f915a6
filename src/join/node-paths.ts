/** Paths on the node that do not depend on settings. */

/** Folder for files with the token; in memory on every machine with systemd. */
export const RUN_FOLDER = '/run/edge-nodepools';

/** Folder for files that a later run needs; none of them contains the token. */
export const STATE_FOLDER = '/var/lib/edge-nodepools';

/** What only this machine has, if several share a join: its name and labels, one `key=value` per line. */
export const IDENTITY_FILE = `${STATE_FOLDER}/machine`;

/** What a machine has joined with; written when everything is done. */
export const APPLIED_FILE = `${STATE_FOLDER}/applied`;

export const SCRIPT_PATH = `${STATE_FOLDER}/join.sh`;

/** The script of the join service, which is also the command `edge-nodepools-join`. */
export const SERVICE_PATH = `${STATE_FOLDER}/service.sh`;

/** The command for technicians, where the file system permits it. */
export const SERVICE_COMMAND = '/usr/local/bin/edge-nodepools-join';

/** What the service waits for; from its first run on. */
export const STATUS_FILE = `${STATE_FOLDER}/service-status`;

/** Kubeconfig of the kubelet, which writes it before it has the certificate that the file names. */
export const KUBELET_CONF = '/etc/kubernetes/kubelet.conf';

/** Where kubeadm 1.34+ keeps the settings of this one kubelet, for upgrades. */
export const INSTANCE_CONFIG = '/var/lib/kubelet/instance-config.yaml';

/** Kubeconfig with the token, with which the kubelet requests its certificate. */
export const BOOTSTRAP_KUBELET_CONF = '/etc/kubernetes/bootstrap-kubelet.conf';

/** Folder of scripts that cloud-init runs at every boot, ordered by name. */
export const PER_BOOT_FOLDER = '/var/lib/cloud/scripts/per-boot';

/** Script with which cloud-init runs the join again at every boot, until everything is done. */
export const BOOT_HOOK = `${PER_BOOT_FOLDER}/edge-nodepools-join`;

/** By which systemd ends an update at the next boot if it was cut off. */
export const UPDATE_REGISTRATIONS: readonly string[] = [
  '/etc/systemd/system/edge-nodepools-update.service',
  '/etc/systemd/system/multi-user.target.wants/edge-nodepools-update.service',
];

/** Makes systemd remove the token at the next boot, while the node joins. */
export const FORGET_FILE = '/etc/tmpfiles.d/edge-nodepools.conf';

/** NTP servers, if the script configures them and not cloud-init. */
export const TIME_SERVERS_FILE = '/etc/systemd/timesyncd.conf.d/10-edge-nodepools.conf';

/** Folder of kubeadm patches on the node. */
export const PATCH_FOLDER = '/etc/kubernetes/patches';

/** Folder of static Pods, where kubeadm tells kubelet to look (`staticPodPath`). */
export const MANIFEST_FOLDER = '/etc/kubernetes/manifests';

/** By which kubelet waits for yurthub at boot, which OpenYurt does not enable. Not in the folder of yurthub: a revert
 * removes that. */
export const YURTHUB_DROP_IN = '/etc/systemd/system/kubelet.service.d/20-yurthub.conf';
