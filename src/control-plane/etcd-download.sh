# Installs the programs if another archive was installed, or none.
install_programs() {
  [ "$(cat /etc/etcd/installed 2>/dev/null)" != "$download_sha256" ] || return 0
  work=$(mktemp -d) || die 'there is no room for the archive of etcd'
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 3 -o "$work/etcd.tar.gz" "$download_url"
  else
    wget -q -O "$work/etcd.tar.gz" "$download_url"
  fi || { rm -rf "$work"; die "$download_url cannot be downloaded"; }
  echo "$download_sha256  $work/etcd.tar.gz" | sha256sum -c - >/dev/null 2>&1 ||
    { rm -rf "$work"; die "$download_url is not the archive with the SHA-256 $download_sha256"; }
  { tar -xzf "$work/etcd.tar.gz" -C "$work" --strip-components=1 &&
    install -m 0755 "$work/etcd" "$work/etcdctl" "$work/etcdutl" /usr/local/bin/; } ||
    { rm -rf "$work"; die 'etcd cannot be installed'; }
  rm -rf "$work"
  echo "$download_sha256" > /etc/etcd/installed
}
