# docs.docker.com/engine/install/centos, rhel and fedora
add_docker() {
  distribution=$(. /etc/os-release; case ${ID-} in (fedora | rhel) echo "$ID" ;; (*) echo centos ;; esac)
  base=${runtime_repository:-https://download.docker.com/linux/$distribution}
  add_repository edge-nodepools-docker edge-nodepools-docker containerd.io "$base/\$releasever/\$basearch/stable/" \
    "$base/gpg" containerd.io
}
