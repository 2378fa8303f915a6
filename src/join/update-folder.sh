# An update that fails goes back to the former version, which has to come from the folder, too.
check_folder() {
  [ "$have" != "$kubelet_version" ] || return 0
  { in_folder kubelet "$kubelet_version" && in_folder kubeadm "$kubelet_version"; } ||
    stop 'these packages are needed' 66
  [ -z "$have" ] || [ -n "$accept" ] || { in_folder kubelet "$have" && in_folder kubeadm "$have"; } ||
    stop 'without them this update cannot be taken back: add the packages, or run this script with --accept' 66
}
