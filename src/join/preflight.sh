#: preflight
status=0
row() { if [ -n "$3" ]; then printf '%-15s %-8s %s\n' "$@"; else printf '%-15s %s\n' "$1" "$2"; fi; }
ok() { row "$1" ok "${2-}"; }
missing() { row "$1" missing "$2"; status=1; }
note() { row "$1" note "$2"; }
has() { command -v "$1" >/dev/null 2>&1; }
# filled ROW FILE WHAT
filled() { if [ -s "$2" ]; then ok "$1"; else missing "$1" "$2 is missing or empty: $3"; fi; }

check_programs() {
  if [ "$(id -u)" = 0 ]; then ok root; else missing root 'run this, and the join, as root'; fi
  lacking=''
  for program in $programs; do has "$program" || lacking="$lacking $program"; done
  [ -z "$downloads" ] || has curl || has wget || lacking="$lacking curl"
  if [ -z "$lacking" ]; then ok programs; else missing programs "install$lacking"; fi
  if has systemctl; then ok systemd
  else missing systemd 'it runs kubelet, and the service and the updates of the join: use an image with it'; fi
}

check_kubelet() {
  [ -z "$installs" ] || { note kubelet "the join installs $installs"; return; }
  version=$(kubelet --version 2>/dev/null | sed -n 's/^Kubernetes v//p') minor=''
  case $version in *.*.*) minor=${version#*.} minor=${minor%%.*} ;; esac
  case $minor in
    '' | *[!0-9]*) missing kubelet "install kubelet and kubeadm $kubernetes, or write packages in the join" ;;
    *) if [ "$minor" -le "${kubernetes#*.}" ]; then ok kubelet "$version"
      else missing kubelet "$version is newer than the cluster, $kubernetes"; fi ;;
  esac
}

check_kernel() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then ok cgroups
  elif [ -z "$needs_cgroup_v2" ]; then note cgroups 'version 1, which kubelet 1.35 and later do not accept'
  else
    missing cgroups "kubelet $kubernetes needs version 2: boot with systemd.unified_cgroup_hierarchy=1, or write\
 kubeletConfiguration: { failCgroupV1: false }"
  fi
  swaps=0
  [ ! -r /proc/swaps ] || swaps=$(awk 'NR > 1 { n++ } END { print n + 0 }' /proc/swaps)
  case $swaps$swap in
    0*) ok swap ;;
    *refused) missing swap 'kubelet does not start with it: swapoff -a, and remove it from /etc/fstab' ;;
    *permitted) note swap 'kubelet runs with it, as configured' ;;
    *) note swap 'the join switches it off' ;;
  esac
  if grep -qw overlay /proc/filesystems || modprobe -n overlay 2>/dev/null; then ok modules
  else missing modules 'the kernel has no overlay file system for images: modprobe overlay'; fi
  # yurthub ends without the link that it makes
  if [ -n "$is_converted" ]; then
    if [ -d /sys/module/dummy ] || modprobe -n dummy 2>/dev/null; then ok dummy
    else missing dummy 'the kernel has no module dummy, and yurthub ends without it'; fi
  fi
  if [ -e /dev/kmsg ]; then ok kmsg; else missing kmsg 'kubelet does not start without /dev/kmsg'; fi
  kib=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)
  if [ "${kib:-0}" -ge 524288 ]; then ok memory "$((kib / 1024)) MiB"
  else missing memory "${kib:-0} KiB are too few for kubelet and a container runtime"; fi
}

check_runtime() {
  if [ -S "$socket" ]; then ok runtime
  elif [ -n "$installs_runtime" ]; then note runtime "the join installs $installs_runtime"
  else missing runtime "$runtime does not run: there is no socket $socket"; fi
}

check_disk() {
  # mksh and small builds of busybox count with 32 bits, and a disk can have more KiB
  # shellcheck disable=SC2046 # two words
  set -- $(df -Pk /var/lib | awk 'NR > 1 { print int($4 / 1024), $5 }')
  free=${1:-0} used=${2:-0%}
  if [ "$free" -lt 2048 ]; then missing disk "$free MiB are free for images and Pods below /var/lib"
  elif [ "${used%\%}" -gt 85 ]; then
    missing disk "$used of /var/lib are used: kubelet removes images, and then Pods"
  else ok disk "$free MiB free"; fi
}

check_ports() {
  taken=''
  # /proc/net/tcp has them in hexadecimal
  for port in 10250:280A 10248:2808; do
    ! awk -v port=":${port#*:}\$" '$4 == "0A" && $2 ~ port { found = 1 } END { exit !found }' \
      /proc/net/tcp /proc/net/tcp6 2>/dev/null || taken="$taken ${port%:*}"
  done
  if [ -z "$taken" ]; then ok ports; else missing ports "another program listens on$taken, which kubelet needs"; fi
}

check_clock() {
  case $(synchronized) in
    no) missing clock 'the clock is not synchronized: certificates may not be valid yet' ;;
    unknown) note clock "nothing here says whether it is synchronized; it is $(date -u)" ;;
    *) ok clock ;;
  esac
}

check_name() {
  name=${node_name:-$(awk '{ print tolower($1) }' /proc/sys/kernel/hostname)}
  if [ -n "$shares" ]; then
    name=$(sed -n 's/^name=//p' "$state/machine" 2>/dev/null)
    if [ -n "$name" ]; then ok machine "$name"; else missing machine "$state/machine does not name this machine"; fi
  fi
  case $name in
    '' | localhost* | *[!a-z0-9.-]* | -* | *- | .* | *.)
      missing name "a Node cannot be called ${name:-nothing}: hostnamectl set-hostname NAME" ;;
    *) if [ "${#name}" -le "$longest_name" ]; then ok name "$name"
      else missing name "$name is longer than $longest_name characters"; fi ;;
  esac
  if [ -s "$conf" ]; then missing node 'this machine has joined a cluster; the leave script takes it out'
  elif [ -n "$(ls -A /etc/kubernetes/manifests 2>/dev/null)" ]; then
    missing node 'kubeadm needs an empty /etc/kubernetes/manifests'
  else ok node; fi
}

# The runtime uses the first one by name.
check_cni() {
  # shellcheck disable=SC2010 # as the runtime sorts them
  first=$(ls "$cni_folder" 2>/dev/null | grep -e '[.]conf$' -e '[.]conflist$' -e '[.]json$' | head -n 1)
  if [ -n "$first" ] && awk -v a="$first" -v b="$loopback" 'BEGIN { exit !(a "" < b "") }'; then
    missing cni "remove $cni_folder/$first: the runtime would use it in place of $loopback"
  else ok cni; fi
}

check_api_server() {
  # what it answers does not matter: kubeadm checks its certificate by the hash
  if ! has curl; then note api-server 'not tried, because there is no curl'
  elif curl -ks -m 10 -o /dev/null "https://$api_server/livez"; then ok api-server
  else missing api-server "no answer from https://$api_server: network, name or proxy"; fi
}
check_discovery() { filled discovery "$discovery_file" 'it has the address and the CA'; }
check_proxy() { filled proxy "$proxy_file" 'write user:password of the proxy into it'; }
check_token() { filled token "$token_file" 'write the bootstrap token into it'; }
# The join may install it.
check_token_program() {
  if has "$token_program"; then ok token "by $token_program"
  else note token "$token_program, which prints it, is not there yet"; fi
}

row check state 'what to do'
for check in $checks; do "check_$check"; done
exit "$status"
#: preflight-apt
packages_in_folder() {
  # shellcheck disable=SC2016 # these are of dpkg
  for file in "$folder_of_packages"/*.deb; do
    dpkg-deb -W --showformat='${Package} ${Version}\n' "$file"
  done 2>/dev/null
}
#: preflight-dnf
packages_in_folder() { rpm -qp --nosignature --qf '%{NAME} %{VERSION}\n' "$folder_of_packages"/*.rpm 2>/dev/null; }
#: preflight-folder
# Before a machine without a network boots with the folder; without a version, any is right.
check_folder() {
  found=$(packages_in_folder) lacking=''
  for package in $wanted_packages; do
    name=${package%%=*} version=${package#*=}
    echo "$found" | awk -v name="$name" -v version="$version" '
      $1 == name {
        known = substr($2, index($2, ":") + 1)
        if (index(known, version) == 1 && substr(known, length(version) + 1, 1) !~ /[0-9.]/) is_there = 1
        if (version == "") is_there = 1
      }
      END { exit !is_there }' || lacking="$lacking, $name${version:+ $version}"
  done
  if [ -z "$lacking" ]; then ok packages "$folder_of_packages"
  else missing packages "$folder_of_packages lacks ${lacking#, }, and it needs all that they depend on"; fi
}
#: preflight-images
# The join imports what is there, and says nothing if that is nothing.
check_images() {
  set -- "$image_folder"/*.tar
  if [ -e "$1" ]; then ok images "$# files"; else missing images "$image_folder has no *.tar"; fi
}
